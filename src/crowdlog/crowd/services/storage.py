"""Where a service keeps its rows: SQLite (WAL) in its data folder by default, PostgreSQL by a URL.

The same statements run on both.

Statements are written with `?`, BLOB, BIGINT and WITHOUT ROWID; PostgreSQL gets its own spelling of these.
What a transaction wrote is on disk when it returns, so a service may acknowledge it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.files.disk import FULL

Row = tuple[Any, ...]
# A writer waits this long for another process's lock before it gives up with 503.
BUSY_SECONDS = 20
# Full disks show up as SQLITE_FULL, or as a failed write or growth of the WAL and its index.
_FULL_CODES = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
}


class StorageFull(CrowdlogError):  # noqa: N818 - a state of the disk
    """There is no room left; nothing of the transaction was kept."""

    def __init__(
        self, sentence: str = "The disk of this service is full; nothing was stored. Try again later."
    ) -> None:
        super().__init__(sentence)


class StorageDown(CrowdlogError):  # noqa: N818 - a state of the database
    """The database does not answer; nothing of the transaction was kept."""


class Transaction(Protocol):
    """What runs inside `with database.transaction() as t`."""

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement and return how many rows it changed."""
        ...

    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement for each of these rows and return how many rows all of them changed."""
        ...

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]: ...


class Database(Protocol):
    """One connection behind a lock: threads of one service share it."""

    def transaction(self) -> Any:
        """Return a context manager that yields a Transaction: all or nothing, on disk at its end."""
        ...

    def stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Yield rows of a consistent read through a connection of its own, without holding them all in
        memory.
        """
        ...

    def claim(self, name: str) -> Any:
        """Return a context manager that yields whether this process may do the work of this name: no other
        that shares the database does it as long as the block lasts. A killed process loses its claims.
        """
        ...

    def close(self) -> None: ...


def open_database(url: str | None, default: Path, schema: Sequence[str]) -> Database:
    """Open PostgreSQL at `url` (postgresql://…), or SQLite at `default`, and create the tables that are
    missing.
    """
    if url is not None and not url.startswith(("postgresql://", "postgres://")):
        raise InputError(
            "The database must be given as postgresql://USER@HOST/NAME. "
            "Leave it out to use SQLite in the data folder."
        )
    try:
        database: Database = SQLiteDatabase(default) if url is None else _postgres(url)
        with database.transaction() as t:
            for statement in schema:
                t.run(statement)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_NOTADB:
            raise
        raise InputError(f"{default} is no database: it was damaged, or is something else.") from None
    return database


def _postgres(url: str) -> Database:
    from crowdlog.crowd.services.postgres import PostgresDatabase

    return PostgresDatabase(url)


def _spelled(statement: str) -> str:
    """Return the statement as SQLite spells it: a transaction holds the whole file, so no row is locked."""
    return statement.replace(" FOR UPDATE", "").replace(" FOR SHARE", "")


class _SQLiteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        return self._connection.execute(_spelled(statement), values).rowcount

    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        return self._connection.executemany(statement, rows).rowcount

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(_spelled(statement), values).fetchall()


class SQLiteDatabase:
    """A SQLite file in WAL mode. Deleted rows are overwritten (secure_delete)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        path.touch(mode=0o600)
        self._connection = self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "cache_size=-65536"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._lock, _translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield _SQLiteTransaction(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        connection = self._connect()
        try:
            with _translated():
                yield from connection.execute(statement, values)
        finally:
            connection.close()

    @contextmanager
    def claim(self, _name: str) -> Iterator[bool]:
        yield True  # one process has the file

    def close(self) -> None:
        with self._lock:
            self._connection.close()


@contextmanager
def full_disks() -> Iterator[None]:
    """Turn the system's error about a full disk into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise StorageFull from error
        raise


@contextmanager
def _translated() -> Iterator[None]:
    """Turn SQLite's errors about the machine into ours; a mistake in a statement stays a mistake."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code in _FULL_CODES:
            raise StorageFull from error
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN} or (
            code is not None and code & 0xFF == sqlite3.SQLITE_IOERR
        ):
            raise StorageDown(
                "The database of this service cannot be used now; nothing was stored. Try again later."
            ) from error
        raise
