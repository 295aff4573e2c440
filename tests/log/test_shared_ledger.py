"""A ledger that several stores share is never begun anew by the way, and an older one is refused."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.privacy.ledger import Ledger
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log
from tests.support.postgres import Cluster

RELEASE = parse("DPu(epsilon=1, delta=1e-4, d=2)")


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """A store `one` with a release charged to `people.sqlite`; `older.sqlite` is from before the release."""
    monkeypatch.chdir(tmp_path)
    make_log(tmp_path, crowd_rows(60, ["weather"]))
    (tmp_path / "else").mkdir()
    log = import_log("log.tsv", "one", ledger="people.sqlite", new_ledger=True)
    with open_ledger(log) as ledger:
        ledger.set_budget(3, 1e-2)
    shutil.copy("people.sqlite", "older.sqlite")
    RELEASE.release(log, tmp_path / "out")
    return tmp_path


def refused(out, address="people.sqlite", **options):
    """What an import says that is refused; nothing is left of it."""
    with pytest.raises(InputError) as caught:
        import_log("log.tsv", out, ledger=address, **options)
    assert not Path(out).exists()
    assert caught.value.exit_code == 1
    return str(caught.value)


def charges(store):
    with open_ledger(LogStore.open(store)) as ledger:
        return len(ledger.entries())


@pytest.mark.parametrize("out", ["two", "else/two"])
def test_a_deleted_ledger_is_not_begun_anew(shared, out):
    Path("people.sqlite").unlink()
    assert "put its newest copy back" in refused(out).lower()
    told = refused(out, new_ledger=True)
    assert "begin one of another name" in told
    assert "--book EPSILON DELTA" in told
    assert not Path("people.sqlite").exists()


def test_a_deleted_ledger_without_the_file_beside_it_is_known_to_the_stores_beside(shared):
    Path("people.sqlite").unlink()
    Path("people.sqlite.head").unlink()
    assert "has its budget in this ledger" in refused("two", new_ledger=True)
    assert "is missing, so nobody can tell what was spent" in refused("two")
    assert "There is no ledger" in refused("else/two")


@pytest.mark.parametrize("out", ["two", "else/two"])
def test_an_older_ledger_is_refused_before_a_row_is_read(shared, out):
    Path("older.sqlite").replace("people.sqlite")
    Path("log.tsv").write_text("no log at all")
    assert "is older than its store" in refused(out)


def test_an_older_ledger_is_refused_where_one_of_its_stores_saw_no_more_of_it(shared):
    """What the second store wrote is known beside the ledger, though the first never saw it."""
    first = (shared / "one" / "ledger.head").read_bytes()
    second = import_log("log.tsv", "else/two", ledger="people.sqlite")
    shutil.copy("people.sqlite", "older.sqlite")
    RELEASE.release(second, shared / "second")
    Path("older.sqlite").replace("people.sqlite")
    (shared / "one" / "ledger.head").write_bytes(first)
    with pytest.raises(InputError, match=r"people\.sqlite\.head knows line"):
        RELEASE.release(LogStore.open("one"), shared / "third")
    log = LogStore.open("one")
    Ledger.accept(log.ledger(), log.info.id, log.ledger_head())
    assert charges("one") == 1


def test_an_older_ledger_is_refused_also_where_the_file_beside_it_was_deleted(shared):
    """By the store that saw more of it, and by the one that did not."""
    first = (shared / "one" / "ledger.head").read_bytes()
    second = import_log("log.tsv", "else/two", ledger="people.sqlite")
    shutil.copy("people.sqlite", "older.sqlite")
    RELEASE.release(second, shared / "second")
    Path("older.sqlite").replace("people.sqlite")
    Path("people.sqlite.head").unlink()
    (shared / "one" / "ledger.head").write_bytes(first)
    for store in ("one", "else/two"):
        with pytest.raises(InputError, match=r"nobody can tell whether|is older than its store"):
            RELEASE.release(LogStore.open(store), shared / "third")
    assert not (shared / "third").exists()


@pytest.mark.parametrize("content", [None, "", "{", '{"line": -3, "hash": "x"}'])
def test_a_ledger_whose_end_nobody_knows_is_not_joined(shared, content):
    if content is None:
        Path("people.sqlite.head").unlink()
    else:
        Path("people.sqlite.head").write_text(content)
    assert "nobody can tell whether the ledger is the newest" in refused("else/two")
    with pytest.raises(InputError, match="nobody can tell whether the ledger is the newest"):
        charges("one")  # it saw an end, but another store may have seen more
    log = LogStore.open("one")
    Ledger.accept(log.ledger(), log.info.id, log.ledger_head())
    assert charges("one") == 1
    import_log("log.tsv", "else/two", ledger="people.sqlite")
    assert charges("else/two") == 1


@pytest.mark.usefixtures("shared")
def test_a_misspelt_name_is_asked_about_and_a_new_one_is_begun_once():
    assert "Is its name misspelt?" in refused("two", "poeple.sqlite")
    import_log("log.tsv", "two", ledger="others.sqlite", new_ledger=True)
    assert charges("two") == 0
    assert "leave --new-ledger out" in refused("else/three", "others.sqlite", new_ledger=True)
    with open_ledger(LogStore.open("two")) as ledger:
        ledger.set_budget(3, 1e-2)
    Path("others.sqlite.head").unlink()
    assert "is there already" in refused("else/three", "others.sqlite", new_ledger=True)
    with pytest.raises(InputError, match="say which"):
        import_log("log.tsv", "else/three", new_ledger=True)


def test_what_a_killed_import_left_without_a_line_is_begun(shared):
    """Killed between making the file and writing its first line."""
    from crowdlog.privacy.journal import SqliteJournal

    SqliteJournal.create(shared / "new.sqlite")
    assert "nobody can tell whether" in refused("else/two", "new.sqlite")
    import_log("log.tsv", "else/two", ledger="new.sqlite", new_ledger=True)
    assert charges("else/two") == 0


KILLED = """
import os, sys
from crowdlog.log.importer import import_log
from crowdlog.privacy.ledger_head import LedgerHead
LedgerHead.keep = lambda *_: os._exit(9)
import_log("log.tsv", sys.argv[1], ledger="new.sqlite", new_ledger=True)
"""


@pytest.mark.usefixtures("shared")
def test_what_a_killed_import_left_with_its_line_alone_is_begun():
    """Killed between its line and the file beside the ledger, twice: no store of it was ever shown."""
    for out in ("else/two", "else/three"):
        assert subprocess.run([sys.executable, "-c", KILLED, out], check=False).returncode == 9
        assert not Path("new.sqlite.head").exists()
        assert list(Path("else").glob(f"{Path(out).name}.partial-*"))
        assert "add --new-ledger" in refused("else/two", "new.sqlite")
    import_log("log.tsv", "else/two", ledger="new.sqlite", new_ledger=True)
    import_log("log.tsv", "else/three", ledger="new.sqlite")
    assert [path.name for path in sorted(Path("else").iterdir())] == ["three", "two"]
    with open_ledger(LogStore.open("else/two")) as ledger:
        assert len(ledger.stores()) == 4


@pytest.mark.parametrize("made", [[], ["PRAGMA journal_mode = WAL"]])
def test_what_a_killed_import_left_without_a_table_is_begun(shared, made):
    """Killed while it made the file."""
    with closing(sqlite3.connect("new.sqlite")) as file:
        for statement in made:
            file.execute(statement)
    Path("new.sqlite").touch()
    assert "add --new-ledger" in refused("else/two", "new.sqlite")
    import_log("log.tsv", "else/two", ledger="new.sqlite", new_ledger=True)
    assert charges("else/two") == 0
    assert Path("new.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_no_ledger_is_not_made_one(shared):
    Path("notes.txt").write_text("not a ledger at all, but something to keep\n")
    assert "damaged or emptied" in refused("else/two", "notes.txt", new_ledger=True)
    with closing(sqlite3.connect("other.sqlite")) as file:
        file.execute("CREATE TABLE theirs (n)")
    assert "no ledger" in refused("else/two", "other.sqlite", new_ledger=True)


@pytest.mark.xdist_group("postgres")
def test_a_ledger_in_a_database_is_begun_when_told_and_never_by_the_way(shared):
    cluster = Cluster()
    cluster.start()
    try:
        assert "There is no ledger postgresql://" in refused("two", cluster.url)
        import_log("log.tsv", "two", ledger=cluster.url, new_ledger=True)
        import_log("log.tsv", "else/three", ledger=cluster.url)
        assert "has its budget in this ledger" in refused("four", cluster.url, new_ledger=True)
        assert "is there already" in refused("other/four", cluster.url, new_ledger=True)
        otherwise = cluster.url.replace("postgres@", "postgres:geheim@")
        assert "has its budget in this ledger" in refused("four", otherwise, new_ledger=True)
        with psycopg.connect(cluster.url, autocommit=True) as db:
            db.execute("DELETE FROM crowdlog_journal WHERE number = 2")
        assert "is older than its store" in refused("else/four", cluster.url)
        with psycopg.connect(cluster.url, autocommit=True) as db:
            db.execute("DELETE FROM crowdlog_journal")
        assert "it has no line" in refused("other/four", cluster.url)
        with psycopg.connect(cluster.url, autocommit=True) as db:
            db.execute("DROP TABLE crowdlog_journal")
        assert "There is no ledger postgresql://" in refused("other/four", cluster.url)
        assert "has its budget in this ledger" in refused("four", cluster.url, new_ledger=True)
    finally:
        cluster.stop()
        cluster.remove()
