"""Whatever is done to a ledger is noticed before anything is charged, with a sentence that never advises to
bring an old copy back.
"""

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.guarantee import approximate, pure
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_head import HEAD


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with a budget and two charges; `older.sqlite` has the first only."""
    path = tmp_path / "ledger.sqlite"
    Ledger.create(path, "hash", "store")
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.set_budget(5.0, 1e-5)
        ledger.charge(approximate(1.0, 1e-6), "A", "a")
    shutil.copy(path, tmp_path / "older.sqlite")
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.charge(approximate(2.0, 1e-6), "B", "b")
    return path


def sql(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(statement)

    change.__name__ = statement
    return change


def deleted(path: Path) -> None:
    path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def older(path: Path) -> None:
    (path.parent / "older.sqlite").replace(path)


def edited(column: str, value: object) -> Callable[[Path], None]:
    """Changed inside a line, with a hash of its own that fits the line but not those after it."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db, db:
            (text,) = db.execute("SELECT content FROM journal WHERE number = 3").fetchone()
            new = json.dumps(json.loads(text) | {column: value}, sort_keys=True)
            db.execute("UPDATE journal SET content = ? WHERE number = 3", (new,))

    change.__name__ = f"{column} edited"
    return change


def garbage(at: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[at : at + 200] = os.urandom(200)
        path.write_bytes(content)

    change.__name__ = f"garbage at {at}"
    return change


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def link_to_older(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("older.sqlite"))


def of_another_log(path: Path) -> None:
    path.unlink()
    head = path.with_name(HEAD).read_bytes()
    path.with_name(HEAD).unlink()
    Ledger.create(path, "other", "other", path.with_name("other.head"))
    path.with_name(HEAD).write_bytes(head)


def headless(path: Path) -> None:
    path.with_name(HEAD).unlink()


DAMAGE = [
    deleted,
    emptied,
    older,
    sql("DELETE FROM journal"),
    sql("DELETE FROM journal WHERE number = 2"),
    sql("DELETE FROM journal WHERE number = 4"),
    sql("DROP TABLE journal"),
    sql("UPDATE journal SET hash = 'x' WHERE number = 1"),
    sql("UPDATE journal SET content = '[]' WHERE number = 2"),
    sql("INSERT INTO journal VALUES (5, '{}', 'x')"),
    sql("CREATE TRIGGER swallow BEFORE INSERT ON journal BEGIN SELECT RAISE(IGNORE); END"),
    edited("epsilon", 0.01),
    edited("epsilon", "much"),
    edited("mechanism", "Other()"),
    edited("steps", "not a list"),
    garbage(0),
    garbage(7900),  # among the lines
    half,
    folder,
    dangling,
    link_to_older,
    of_another_log,
    headless,
]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_is_noticed_and_nothing_is_charged(path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    with pytest.raises(InputError) as caught:
        Ledger.open(path, "hash", "store")
    said = str(caught.value)
    assert "\n" not in said
    assert "restore" not in said.lower()
    assert caught.value.exit_code == 1


HEADS = [
    "",
    "{}",
    "[]",
    "null",
    "[1, 2]",
    '{"line": 4}',
    '{"hash": "x"}',
    '{"line": 0, "hash": "x"}',
    '{"line": -1, "hash": "x"}',
    '{"line": -99, "hash": "x"}',
    '{"line": 1e999, "hash": "x"}',
    '{"line": Infinity, "hash": "x"}',
    '{"line": NaN, "hash": "x"}',
    '{"line": true, "hash": "x"}',
    '{"line": "4", "hash": "x"}',
    '{"line": 4.0, "hash": "x"}',
    '{"line": 4, "hash": null}',
    '{"line": 4, "line": 1, "hash": "x"}',
    '{"line": ' + "9" * 5000 + ', "hash": "x"}',
    '{"line": 99999999999999999999, "hash": "x"}',
    "[" * 100_000,
    "\ud800",
    "\x00" * 87,
]


@pytest.mark.parametrize("number", range(len(HEADS)))
def test_an_odd_head_is_refused_with_a_sentence(path: Path, number: int) -> None:
    path.with_name(HEAD).write_bytes(HEADS[number].encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError, match=r"nobody can tell|is older than") as caught:
        Ledger.open(path, "hash", "store")
    assert "\n" not in str(caught.value)


def _flips(content: bytes, random: Random) -> list[tuple[int, int]]:
    """Every byte of the header and the table's description once, and a sample of all bytes that are used."""
    used = [at for at, byte in enumerate(content) if byte]
    places = [*(at for at in used if at < 4096), *random.sample(used, 150)]
    return [(at, random.randrange(1, 256)) for at in places] + [(4016, 0xEE), (4073, 0xB9)]


def test_no_flipped_byte_is_a_fault_of_ours_or_changes_what_was_charged(path: Path) -> None:
    """Refused with a sentence, or without effect: both charges are there, and a third is added."""
    content, head = path.read_bytes(), path.with_name(HEAD).read_bytes()
    refused: list[str] = []
    for at, flip in _flips(content, Random(13)):
        for name in ("ledger.sqlite-wal", "ledger.sqlite-shm"):
            path.with_name(name).unlink(missing_ok=True)
        path.write_bytes(content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :])
        path.with_name(HEAD).write_bytes(head)
        try:
            with Ledger.open(path, "hash", "store") as ledger:
                charged = [entry.mechanism for entry in ledger.entries()]
                ledger.charge(pure(0.5), "C", "c")
                assert [*charged, "C"] == ["A", "B", "C"] == [entry.mechanism for entry in ledger.entries()]
        except InputError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert not [said for said in refused if "\n" in said]


@pytest.mark.parametrize("at", [52, 54])
def test_a_file_that_can_be_read_but_not_added_to_is_damaged_when_it_is_opened(path: Path, at: int) -> None:
    """Its lines are whole; 'crowdlog check' must not call it so."""
    content = bytearray(path.read_bytes())
    content[at] ^= 32
    path.write_bytes(content)
    with pytest.raises(InputError, match="its pages contradict each other"):
        Ledger.open(path, "hash", "store")


def test_a_charge_that_lies_only_in_the_log_of_writes_is_missed(path: Path) -> None:
    """After a kill the last lines may be in `-wal` alone; a copy without it forgets them."""
    child = os.fork()
    if not child:
        ledger = Ledger.open(path, "hash", "store")
        ledger.charge(pure(1.0), "C", "c")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    wal = path.with_name("ledger.sqlite-wal")
    assert wal.exists()
    with Ledger.open(path, "hash", "store") as ledger:
        assert len(ledger.entries()) == 3
    child = os.fork()
    if not child:
        ledger = Ledger.open(path, "hash", "store")
        ledger.charge(pure(1.0), "D", "d")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    wal.unlink()
    with pytest.raises(InputError, match="older than its store"):
        Ledger.open(path, "hash", "store")


def test_the_owner_may_accept_what_is_left_and_book_what_is_missing(path: Path) -> None:
    older(path)
    Ledger.accept(path, "store", path.with_name(HEAD))
    with Ledger.open(path, "hash", "store") as ledger:
        assert ledger.spent() == approximate(1.0, 1e-6)
        number = ledger.book(approximate(2.0, 1e-6))
        assert (number, ledger.entries()[-1].state) == (2, "published")
        assert ledger.spent().epsilon == 3.0


def test_a_full_disk_or_a_missing_right_is_no_damage(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        ledger._journal._connection.execute("PRAGMA max_page_count = 3")  # type: ignore[attr-defined]
        with pytest.raises(InputError, match="nothing was charged") as caught:
            ledger.charge(pure(0.001), "M" * 50_000, "out")
    assert "copy" not in str(caught.value)


def test_the_head_stays_with_its_store(path: Path, tmp_path: Path) -> None:
    """When another store comes to lie at the path, its head is not touched."""
    store, new = tmp_path / "store", tmp_path / "new"
    for where in (store, new):
        where.mkdir()
        Ledger.create(where / "ledger.sqlite", "hash", "store")
    before = (new / HEAD).read_text()
    with Ledger.open(store / "ledger.sqlite", "hash", "store") as ledger:
        ledger.set_budget(5.0, 1e-4)
        store.rename(tmp_path / "old")
        new.rename(store)
        ledger.charge(pure(1.0), "M", "out")
    assert (store / HEAD).read_text() == before
    Ledger.open(store / "ledger.sqlite", "hash", "store").close()
    with Ledger.open(tmp_path / "old" / "ledger.sqlite", "hash", "store") as ledger:
        assert len(ledger.entries()) == 1
