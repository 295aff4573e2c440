"""PostgreSQL as a service's database.

A lost connection costs the transaction it carried and is opened again at the next.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from crowdlog.crowd.services.storage import BUSY_SECONDS, Row, StorageDown, StorageFull, Transaction

# Rows fetched at a time by `stream`: bounds memory, still few round trips.
_STREAM_ROWS = 2000


def _spelled(statement: str) -> bytes:
    """Return the statement as PostgreSQL spells it.

    Statements are our own constants, never text from outside.
    """
    return statement.replace(" WITHOUT ROWID", "").replace("BLOB", "BYTEA").replace("?", "%s").encode()


class _PostgresTransaction:
    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        return self._connection.execute(_spelled(statement), values).rowcount

    def run_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        with self._connection.cursor() as cursor:
            cursor.executemany(_spelled(statement), rows)
            return cursor.rowcount

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._connection.execute(_spelled(statement), values).fetchall()


class PostgresDatabase:
    """One connection behind a lock, with synchronous commits (PostgreSQL's default). Several processes may
    work on one database: statements lock the rows that they decide about.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Row] | None = None

    def _connect(self) -> psycopg.Connection[Row]:
        return psycopg.connect(self._url, connect_timeout=BUSY_SECONDS)

    def _usable(self) -> psycopg.Connection[Row]:
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        return self._connection

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._lock, _translated():
            connection = self._usable()
            try:
                with connection.transaction():
                    yield _PostgresTransaction(connection)
            except psycopg.OperationalError:
                connection.close()
                raise

    def stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        with _translated(), self._connect() as connection, connection.cursor("stream") as cursor:
            cursor.itersize = _STREAM_ROWS
            cursor.execute(_spelled(statement), values)
            yield from cursor

    @contextmanager
    def claim(self, name: str) -> Iterator[bool]:
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
        # an advisory lock is the connection's: it ends with it, so with its process too, but only when the
        # database has noticed; after the block the next claim must find it free at once
        with _translated(), self._connect() as connection:
            rows = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchall()
            connection.commit()
            try:
                yield bool(rows[0][0])
            finally:
                if rows[0][0]:
                    connection.execute("SELECT pg_advisory_unlock(%s)", (number,))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except psycopg.errors.DiskFull as error:
        raise StorageFull from error
    except psycopg.OperationalError as error:
        raise StorageDown(
            "The database of this service cannot be used now; nothing was stored. Try again later."
        ) from error
