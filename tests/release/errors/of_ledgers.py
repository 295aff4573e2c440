"""Errors of the ledger, its journals and the store that keeps it, each with what provokes it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import psycopg

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.privacy import journal
from crowdlog.privacy.guarantee import NO_GUARANTEE, pure
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_head import HEAD
from crowdlog.privacy.ledger_place import open_journal
from crowdlog.release.publish import open_ledger as open_ledger_of
from tests.release.errors.bench import Bench, Case, Cases, fail


def open_ledger(bench: Bench) -> None:
    bench.ledger().close()


def journal_of(statement: str) -> Case:
    """Somebody changed the ledger with SQL, then a release is tried."""

    def case(bench: Bench) -> None:
        bench.journal(statement)
        bench.publish()

    return case


def content(text: str) -> Case:
    """A last line whose hash fits, with a content that is none."""

    def case(bench: Bench) -> None:
        with sqlite3.connect(bench.log.ledger()) as db:
            (number, last) = db.execute("SELECT number, hash FROM journal ORDER BY number DESC").fetchone()
            row = (number + 1, text, journal.chain(last, number + 1, text))
            db.execute("INSERT INTO journal VALUES (?, ?, ?)", row)
        bench.publish()

    return case


def missing(bench: Bench) -> None:
    Path(bench.log.ledger()).unlink()
    bench.publish()


def no_folder(bench: Bench) -> None:
    SqliteError = sqlite3.OperationalError

    def refuse(*_words: Any, **_options: Any) -> None:
        raise SqliteError("unable to open database file")

    bench.log  # noqa: B018 - copied before SQLite refuses
    bench.patch.setattr(sqlite3, "connect", refuse)
    bench.publish()


def others(bench: Bench) -> None:
    """Root may read everything, so the refusal is made."""
    bench.patch.setattr(journal, "_look", fail(13))
    bench.publish()


def emptied(bench: Bench) -> None:
    Path(bench.log.ledger()).write_bytes(b"")
    bench.publish()


def no_text(bench: Bench) -> None:
    """A byte of what the table is made with, so that SQLite itself cannot say it."""
    path = Path(bench.log.ledger())
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREAT\xce TABLE"))
    bench.publish()


def replaced_while_opened(bench: Bench) -> None:
    copy = bench.folder / "copy"
    shutil.copy(bench.log.ledger(), copy)
    check = journal._check_version

    def swap(*words: Any) -> None:
        check(*words)
        copy.replace(bench.log.ledger())

    bench.patch.setattr(journal, "_check_version", swap)
    bench.publish()


def full_disk(act: str) -> Case:
    """SQLite's own limit of pages makes the disk full."""

    def case(bench: Bench) -> None:
        long = "M" * 50_000
        with bench.ledger() as ledger:
            entry = ledger.entries()[0]
            if act in ("change", "move"):
                bench.charged()
                entry = ledger.unpublished()[0]
            ledger._journal._connection.execute("PRAGMA max_page_count = 3")  # type: ignore[attr-defined]
            match act:
                case "charge":
                    ledger.charge(pure(0.001), long, "out")
                case "look":
                    ledger.note_look(long)
                case "book":
                    bench.patch.setattr("crowdlog.privacy.ledger.BOOKED", long)
                    ledger.book(pure(1.0))
                case "change":
                    ledger.publishing(entry.id, long)
                case "move":
                    ledger.move(entry, long)
                case "budget":
                    while True:  # each is a line: the page is full at some time
                        ledger.set_budget(5, 1e-3)

    return case


def full_when_noted(bench: Bench) -> None:
    def on_a_full_disk(address: Path | str) -> Any:
        journal: Any = open_journal(address)
        journal._connection.execute("PRAGMA max_page_count = 3")
        return journal

    bench.patch.setattr("crowdlog.privacy.ledger.open_journal", on_a_full_disk)
    head = bench.folder / "another.head"
    Ledger.create(Path(bench.log.ledger()), "another" * 10_000, "another", head, begin=False)


def headless(bench: Bench) -> None:
    bench.log.ledger_head().unlink()
    bench.publish()


def of_another_log(bench: Bench) -> None:
    ledger = Path(bench.log.ledger())
    ledger.unlink()
    (bench.log.path / HEAD).unlink()
    Ledger.create(ledger, "other", "other")
    bench.publish()


def again(bench: Bench, ledger: str, *, new: bool = False) -> None:
    """Another import of the log, with this ledger; the folder has no store beside it."""
    import_log(
        bench.made / "log.tsv", bench.folder / "else" / "again", ledger=bench.folder / ledger, new_ledger=new
    )


def pages(bench: Bench) -> None:
    """A bit of SQLite's header says that the file holds a map of its pages."""
    file = bench.log.path / "ledger.sqlite"
    content = bytearray(file.read_bytes())
    content[52] ^= 16
    file.write_bytes(content)
    bench.publish()


def not_begun(bench: Bench) -> None:
    """What an import leaves that was killed while it made the ledger."""
    (bench.folder / "new.sqlite").touch()
    again(bench, "new.sqlite")


def already_there(bench: Bench) -> None:
    with bench.ledger() as ledger:
        ledger.set_budget(5, 1e-5)
    (bench.log.path / HEAD).unlink()
    again(bench, "store/ledger.sqlite", new=True)


def no_line(bench: Bench) -> None:
    """Emptied, with the file beside it that knew its end."""
    bench.journal("DELETE FROM journal")
    Ledger.accept(bench.log.ledger(), "store", bench.log.ledger_head())


def rule_after_a_release(bench: Bench) -> None:
    with bench.ledger() as ledger:
        ledger.set_budget(5, 1e-5, "gaussian")


def budget(epsilon: float, delta: float, rule: Any = "sum") -> Case:
    def case(bench: Bench) -> None:
        with bench.ledger() as ledger:
            ledger.set_budget(epsilon, delta, rule)
        bench.publish()

    return case


def unprotected(bench: Bench) -> None:
    with bench.ledger() as ledger:
        ledger.charge(NO_GUARANTEE, "Pseudonyms()", str(bench.out))


def after_an_unprotected_one(bench: Bench) -> None:
    bench.publish("FTu(k=3)", bench.folder / "other", i_know=True)
    bench.charges += 1
    bench.publish()


def without_budget(bench: Bench) -> None:
    log = import_log(bench.made / "log.tsv", bench.folder / "fresh")
    bench.__dict__["log"], bench.charges = log, 0
    bench.publish()


def gaussian(mechanism: str, epsilon: float, delta: float) -> Case:
    """A log whose budget is Σμ², and this release."""

    def case(bench: Bench) -> None:
        log = import_log(bench.made / "log.tsv", bench.folder / "fresh")
        bench.__dict__["log"], bench.charges = log, 0
        with bench.ledger() as ledger:
            ledger.set_budget(epsilon, delta, "gaussian")
        bench.publish(mechanism)

    return case


DROPPED = "DROP TABLE crowdlog_journal"
SWALLOWED = "CREATE RULE swallow AS ON INSERT TO crowdlog_journal DO INSTEAD NOTHING"


def postgres(statement: str | None) -> Case:
    """The server is lost, unless its table is changed so."""

    def case(bench: Bench) -> None:
        cluster = bench.postgres()
        log = import_log(bench.made / "log.tsv", bench.folder / "fresh", ledger=cluster.url, new_ledger=True)
        bench.__dict__["log"], bench.charges = log, 0
        if statement is None:
            cluster.stop()
        else:
            with psycopg.connect(cluster.url, autocommit=True) as db:
                db.execute(statement.encode())
        bench.publish()

    return case


def stored(change: Any) -> Case:
    """The store's own record, changed."""

    def case(bench: Bench) -> None:
        path = bench.log.path / "store.json"
        values = json.loads(path.read_text())
        path.write_text(change(values))
        LogStore.open(bench.log.path)

    return case


def flipped(bench: Bench) -> None:
    path = bench.log.events()
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    bench.publish()


def again_with_its_ledger(bench: Bench) -> None:
    """What the sentence advises goes on with the budget."""
    try:
        flipped(bench)
    except InputError:
        again = import_log(bench.made / "log.tsv", bench.folder / "again", ledger=bench.log.ledger())
        with open_ledger_of(again) as ledger:
            assert len(ledger.entries()) == 1
        raise


def again_with_the_shared_ledger(bench: Bench) -> None:
    other = import_log(bench.made / "log.tsv", bench.folder / "other", ledger=bench.log.ledger())
    (other.path / "store.json").write_text("{")
    LogStore.open(other.path)


LEDGER_ERRORS: Cases = {
    "privacy/ledger.py": {
        "A budget needs a finite ε": budget(float("inf"), 0.1),
        "The rule of a budget is fixed": rule_after_a_release,
        "The budget is ε = {}": lambda bench: bench.publish(budget=(1.0, 1e-5)),
        "promises nothing to the people": unprotected,
        "{} {}.": budget(1.0, 1e-5),
        "knows of no budget and no release": not_begun,
        "There is no ledger": lambda bench: again(bench, "nowhere.sqlite"),
        "belongs to another log": of_another_log,
    },
    "privacy/ledger_place.py": {
        "There is or was a ledger": lambda bench: (bench.log, again(bench, "store/ledger.sqlite", new=True)),
        "is there already": already_there,
    },
    "privacy/ledger_head.py": {
        "in which the end of the ledger is kept": headless,
        "is older than its store": journal_of("DELETE FROM journal WHERE number > 2"),
    },
    "privacy/ledger_book.py": {
        "is unfinished (charge": lambda bench: (bench.charged(), bench.publish()),
        "The ledger has no charge with the number": lambda bench: bench.ledger().publish(7),
    },
    "privacy/journal.py": {
        "was damaged or changed: {}": journal_of("UPDATE journal SET hash = 'x' WHERE number = 1"),
        "is missing, so nobody can tell": missing,
        "it belongs to somebody else": others,
        "could not be written (": full_disk("charge"),
        "was made by another version": journal_of("PRAGMA user_version = 3"),
        "cannot be used now": no_folder,
        "it was damaged or emptied": emptied,
        "was replaced while it was opened": replaced_while_opened,
    },
    "privacy/journal_postgres.py": {
        "holds no ledger": postgres(DROPPED),
        "cannot be used (": postgres(None),
    },
    "log/store.py": {
        "There is no log store": lambda bench: LogStore.open(bench.folder / "nowhere"),
        "is not a log store": lambda bench: LogStore.open(bench.folder),
        "is damaged: its {} cannot be read": stored(lambda _values: "{"),
        "was made by another version": stored(lambda values: json.dumps({**values, "version": 1})),
        "is missing or changed": flipped,
        "cannot be opened: {}.": lambda bench: LogStore.open(bench.folder / ("x" * 300)),
    },
}
# What these sentences are filled in with.
LEDGER_PARTS: Cases = {
    "log/store.py": {
        "what was spent still counts.": again_with_its_ledger,
        "naming the ledger that it shared": again_with_the_shared_ledger,
    },
    "privacy/ledger_head.py": {
        "crowdlog check STORE --accept-ledger": headless,
    },
    "privacy/ledger_book.py": {
        "needs a budget first": without_budget,
        "an earlier release of these people had no differential privacy": after_an_unprotected_one,
        "needs {} = {}, but": budget(1.0, 1e-5),
        "does not fit: {}": gaussian("DPu(epsilon=1, delta=1e-5, d=2)", 6.0, 1e-5),
    },
    "privacy/ledger.py": {
        "the budget is as it was.": full_disk("budget"),
        "so the log was not looked at.": full_disk("look"),
        "nothing was charged and nothing may be published.": full_disk("charge"),
        "charge {} is as it was.": full_disk("move"),
        "run 'crowdlog resume' to see how charge {} stands.": full_disk("change"),
        "the store was not noted in it.": full_when_noted,
        "a line of it cannot be understood": content('{"what": "poem"}'),
        "it has no line": no_line,
    },
    "privacy/journal.py": {
        "line {} is not the one": journal_of("UPDATE journal SET hash = 'x' WHERE number = 1"),
        "line {} cannot be read": content("{"),
        "its tables cannot be read": no_text,
        "its pages contradict each other": pages,
        "a trigger or a view was added": journal_of("CREATE VIEW charges AS SELECT content FROM journal"),
    },
    "privacy/journal_postgres.py": {"a trigger, a rule or a view": postgres(SWALLOWED)},
    "privacy/gaussian_filter.py": {
        "the budget is for Gaussian releases only": gaussian("DPu(epsilon=1, delta=1e-5, d=2)", 6.0, 1e-5),
        "Σμ² would be": gaussian("Crowd(epsilon=6, delta=1e-6)", 1.0, 1e-5),
        "the δ of thresholds would be": gaussian("Crowd(epsilon=0.5, delta=1e-3)", 60.0, 1e-4),
    },
}
