"""A journal in PostgreSQL, for stores on several machines that hold the same people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg

from crowdlog.errors import InputError
from crowdlog.privacy.journal import WAIT, Row, damaged

_TABLE = (
    "CREATE TABLE IF NOT EXISTS crowdlog_journal "
    "(number BIGINT PRIMARY KEY, content TEXT NOT NULL, hash TEXT NOT NULL)"
)
# Either would swallow lines as they are added, and nobody would know. A view is a rule.
_ADDED = (
    "SELECT 1 FROM pg_trigger WHERE tgrelid = 'crowdlog_journal'::regclass AND NOT tgisinternal "
    "UNION ALL SELECT 1 FROM pg_rewrite WHERE ev_class = 'crowdlog_journal'::regclass"
)


class PostgresJournal:
    """The table `crowdlog_journal` of a database: one journal per database (or per schema on its search
    path).
    """

    def __init__(self, connection: psycopg.Connection[Any], name: str) -> None:
        self._connection = connection
        self.name = name

    @classmethod
    def create(cls, url: str) -> None:
        """An empty journal, if there is none yet."""
        with _translated(_shown(url), "nothing was done."), psycopg.connect(url, connect_timeout=10) as db:
            # Two that create it at once would meet in PostgreSQL's catalogue: one after the other.
            db.execute("SELECT pg_advisory_xact_lock(7245906131)")
            db.execute(_TABLE)

    @classmethod
    def is_there(cls, url: str) -> bool:
        """Whether somebody made a journal in this database."""
        with _translated(_shown(url), "nothing was done."), psycopg.connect(url, connect_timeout=10) as db:
            (found,) = db.execute("SELECT to_regclass('crowdlog_journal')").fetchone() or (None,)
            return found is not None

    @classmethod
    def open(cls, url: str) -> Self:
        """Open a journal that `create` made."""
        name = _shown(url)
        with _translated(name, "nothing was charged."):
            connection = psycopg.connect(url, connect_timeout=10, autocommit=True)
            try:
                connection.execute("SELECT 1 FROM crowdlog_journal LIMIT 1")
                connection.execute(f"SET lock_timeout = '{int(WAIT)}s'".encode())
                opened = cls(connection, name)
                opened.refuse_additions()
            except BaseException:
                connection.close()
                raise
        return opened

    def refuse_additions(self) -> None:
        """Lines may be read from a table to which none can be added: damage, noticed before a charge."""
        if self._connection.execute(_ADDED).fetchone():
            raise damaged(self, "a trigger, a rule or a view was added to it")

    @staticmethod
    def shown(url: str) -> str:
        """The address without user and password."""
        return _shown(url)

    @staticmethod
    def without_password(url: str) -> str:
        """The address as it can be given again by somebody whose password is in ~/.pgpass or PGPASSWORD."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return _shown(url)
        user, at, place = parts.netloc.rpartition("@")
        rest = [pair for pair in parse_qsl(parts.query) if "password" not in pair[0]]
        kept = urlencode(rest, safe="/", quote_via=quote)
        return parts._replace(netloc=user.split(":")[0] + at + place, query=kept).geturl()

    @contextmanager
    def writing(self, failed: str) -> Iterator[None]:
        with _translated(self.name, failed), self._connection.transaction():
            self._connection.execute("LOCK TABLE crowdlog_journal IN EXCLUSIVE MODE")
            yield

    def rows(self) -> list[Row]:
        with _translated(self.name, "nothing was charged."):
            return self._connection.execute(
                "SELECT number, content, hash FROM crowdlog_journal ORDER BY number"
            ).fetchall()

    def add(self, number: int, content: str, digest: str) -> None:
        self._connection.execute(
            "INSERT INTO crowdlog_journal VALUES (%s, %s, %s)", (number, content, digest)
        )

    def is_still_there(self) -> bool:
        """A database is not moved about in folders."""
        return True

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _translated(name: str, failed: str) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.UndefinedTable:
        raise InputError(
            f"The database {name} holds no ledger: nobody can tell what was spent. "
            "Was it emptied? Put its newest copy back."
        ) from None
    except psycopg.Error as error:
        raise InputError(f"The ledger {name} cannot be used ({type(error).__name__}): {failed}") from None


def _shown(url: str) -> str:
    """The address without user and password; no more than that it is one where it cannot be taken apart."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "postgresql://…"
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
