import sqlite3
import threading

import psycopg
import pytest

from crowdlog.crowd.services import storage
from crowdlog.crowd.services.storage import StorageDown, open_database
from crowdlog.errors import InputError

SCHEMA = ["CREATE TABLE IF NOT EXISTS things (id BLOB PRIMARY KEY, size BIGINT NOT NULL) WITHOUT ROWID"]
INSERT = "INSERT INTO things VALUES (?, ?) ON CONFLICT DO NOTHING"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    opened = open_database(url, tmp_path / "things.sqlite", SCHEMA)
    with opened.transaction() as t:
        t.run("DELETE FROM things")
    yield opened
    opened.close()


def test_what_a_transaction_wrote_is_there_and_the_same_key_counts_once(database):
    with database.transaction() as t:
        assert [t.run(INSERT, (b"a", 1)), t.run(INSERT, (b"a", 2)), t.run(INSERT, (b"b", 3))] == [1, 0, 1]
    with database.transaction() as t:
        assert [(bytes(name), size) for name, size in t.rows("SELECT id, size FROM things ORDER BY id")] == [
            (b"a", 1),
            (b"b", 3),
        ]


def test_a_failed_transaction_leaves_nothing(database):
    def fail() -> None:
        with database.transaction() as t:
            t.run(INSERT, (b"a", 1))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.transaction() as t:
        assert t.rows("SELECT COUNT(*) FROM things") == [(0,)]


def test_stream_reads_all_rows_while_others_write(database):
    with database.transaction() as t:
        t.run_many(INSERT, [(i.to_bytes(4, "big"), i) for i in range(5000)])
    rows = database.stream("SELECT size FROM things WHERE size >= ? ORDER BY id", (1000,))
    first = next(rows)
    with database.transaction() as t:
        t.run(INSERT, (b"zzzzz", 9999))
    assert [first, *rows] == [(size,) for size in range(1000, 5000)]


def test_threads_share_the_database_without_losing_a_row(database):
    def work(number: int) -> None:
        for i in range(20):
            with database.transaction() as t:
                t.run(INSERT, (bytes([number, i]), i))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.transaction() as t:
        assert t.rows("SELECT COUNT(*) FROM things") == [(80,)]


def test_a_lost_postgresql_connection_costs_one_transaction_only(postgres_url, tmp_path):
    database = open_database(postgres_url, tmp_path / "unused", SCHEMA)
    with database.transaction() as t:
        number = t.rows("SELECT pg_backend_pid()")[0][0]
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 60000)", (number,))
    with pytest.raises(StorageDown), database.transaction() as t:
        t.run(INSERT, (b"lost", 1))
    with database.transaction() as t:
        assert t.rows("SELECT COUNT(*) FROM things WHERE size = ?", (-1,)) == [(0,)]
    database.close()


def test_an_absent_postgresql_is_said_in_a_sentence(tmp_path):
    with pytest.raises(StorageDown, match="cannot be used now"):
        open_database(f"postgresql://nobody@/none?host={tmp_path}", tmp_path / "unused", SCHEMA)


def test_another_kind_of_url_is_refused(tmp_path):
    with pytest.raises(InputError, match="postgresql://"):
        open_database("mysql://here", tmp_path / "unused", SCHEMA)


def test_an_error_of_pythons_own_is_not_hidden_while_a_database_is_opened(tmp_path, monkeypatch):
    """Errors that SQLite itself did not raise have no code of it."""

    def refuse(_path):
        raise sqlite3.ProgrammingError("You can only execute one statement at a time.")

    monkeypatch.setattr(storage, "SQLiteDatabase", refuse)
    with pytest.raises(sqlite3.ProgrammingError, match="one statement at a time"):
        open_database(None, tmp_path / "things.sqlite", SCHEMA)
