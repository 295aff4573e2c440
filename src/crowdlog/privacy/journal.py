"""A journal: lines that are only ever added, each bound by a hash to all lines before it.

A line that is changed, removed or put in between breaks the chain. The hash of the last line is the *head*:
whoever keeps it elsewhere notices when the end of the journal is cut off.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self
from urllib.parse import quote

from crowdlog.errors import InputError

WAIT = 120.0  # seconds to wait for another process; a line is written in milliseconds
VERSION = 4  # of the table below, kept as SQLite's user_version
_TABLE = "CREATE TABLE journal (number INTEGER PRIMARY KEY, content TEXT NOT NULL, hash TEXT NOT NULL)"
# A damaged file may also make SQLite say what is no text.
_BROKEN = (sqlite3.Error, UnicodeError, OverflowError)
_Look = tuple[os.stat_result, os.stat_result]

Row = tuple[Any, Any, Any]  # number from 1, content as JSON, hash


@dataclass(frozen=True)
class Line:
    """One line, by its number from 1."""

    number: int
    content: Mapping[str, Any]
    hash: str


class Journal(Protocol):
    """Where lines are kept. Whoever raises says in one sentence what was not done."""

    name: str

    def writing(self, failed: str) -> AbstractContextManager[None]:
        """All that is added within comes to be at once or not at all, one process at a time."""
        ...

    def rows(self) -> Iterable[Row]: ...

    def add(self, number: int, content: str, digest: str) -> None: ...

    def is_still_there(self) -> bool: ...

    def close(self) -> None: ...


def chain(previous: str, number: int, content: str) -> str:
    """The hash of a line: of the one before it, its number and its content."""
    return hashlib.sha256(f"{previous}\n{number}\n{content}".encode()).hexdigest()


def spell(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, ensure_ascii=True)


def read_lines(journal: Journal) -> list[Line]:
    """All lines, or InputError when one was changed, removed or added by another hand."""
    lines, previous = list[Line](), ""
    for expected, (number, content, digest) in enumerate(journal.rows(), 1):
        if number != expected or not isinstance(content, str) or digest != chain(previous, expected, content):
            raise damaged(journal, f"line {expected} is not the one that was written")
        try:
            read = json.loads(content)
        except ValueError:
            raise damaged(journal, f"line {expected} cannot be read") from None
        if not isinstance(read, dict):
            raise damaged(journal, f"line {expected} cannot be read")
        lines.append(Line(expected, read, digest))
        previous = digest
    return lines


def append(journal: Journal, lines: list[Line], content: Mapping[str, Any]) -> Line:
    """Add a line after these, which are all there are. Within `writing`."""
    text, number = spell(content), len(lines) + 1
    digest = chain(lines[-1].hash if lines else "", number, text)
    journal.add(number, text, digest)
    return Line(number, content, digest)


def damaged(journal: Journal, what: str) -> InputError:
    """The ledger cannot be trusted: what to do. Never bring an old copy back: it forgets what was spent."""
    return InputError(
        f"The ledger {journal.name} was damaged or changed: {what}. Nothing is released without it. "
        "If you have its newest "
        "copy, put that back; an older one forgets what was spent. "
        "Else import the log again and book there what "
        "the labels of its releases say: crowdlog budget NEWSTORE --book EPSILON DELTA"
    )


class SqliteJournal:
    """One file. SQLite's own log beside it (`-wal`) may hold the last lines."""

    def __init__(self, connection: sqlite3.Connection, file: Path, seen: _Look) -> None:
        self.name = str(file)
        self._connection = connection
        self._file, self._seen = file, seen

    @classmethod
    def create(cls, path: Path) -> None:
        """An empty journal, in a new file or a blank one (`is_blank`). Nothing is forced to disk: whoever
        makes the folder does that for all files.
        """
        file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.fchmod(file, 0o600)
        finally:
            os.close(file)
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN; {_TABLE}; PRAGMA user_version = {VERSION}; COMMIT;")
        finally:
            connection.close()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal. One that is missing is never made here: it would be made in whichever store has
        come to lie at this path.
        """
        file = path.absolute()
        try:
            before = _look(file)
            # autocommit: transactions are begun by hand below, so that a charge holds the write lock from its
            # first read.
            address = f"file:{quote(os.fsencode(file))}?mode=rw"
            connection = sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)
            try:
                # A line is on the disk before anything else happens.
                connection.execute("PRAGMA synchronous = FULL")
                _check_version(connection, file)
                _check_pages(connection)
                _check_unmoved(file, before)
            except BaseException:
                connection.close()
                raise
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"The ledger {path} is missing, so nobody can tell what was spent. Put its newest copy back. "
                "If there is none, "
                "import the log again, and book there what the labels of its releases say: crowdlog budget "
                "NEWSTORE --book EPSILON DELTA"
            ) from None
        except PermissionError:
            raise InputError(f"The ledger {path} cannot be opened: it belongs to somebody else.") from None
        except _BROKEN as error:
            raise _unusable(path, error) from None
        return cls(connection, file, before)

    @contextmanager
    def writing(self, failed: str) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except _BROKEN as error:
            raise InputError(
                f"The ledger {self.name} could not be written ({_why(error)}): {failed}"
            ) from None
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def rows(self) -> list[Row]:
        try:
            return self._connection.execute(
                "SELECT number, content, hash FROM journal ORDER BY number"
            ).fetchall()
        except _BROKEN as error:
            raise _unusable(self._file, error) from None

    def add(self, number: int, content: str, digest: str) -> None:
        self._connection.execute("INSERT INTO journal VALUES (?, ?, ?)", (number, content, digest))

    def is_still_there(self) -> bool:
        """Whether the path still leads to the file that is open: even a copy of it is another journal."""
        try:
            return _is_same(self._seen, _look(self._file))
        except OSError:
            return False

    def close(self) -> None:
        self._connection.close()


def is_blank(path: Path) -> bool:
    """Whether the file is what a `create` that was killed leaves: no byte, or SQLite's without a table."""
    try:
        address = f"file:{quote(os.fsencode(path.absolute()))}?mode=rw"
        with closing(sqlite3.connect(address, uri=True, timeout=WAIT)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            return version == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except _BROKEN:
        return False  # whoever opens it says what is wrong


def _check_version(connection: sqlite3.Connection, file: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        raise sqlite3.DatabaseError("it is empty, or no ledger")
    if version != VERSION:
        raise InputError(
            f"The ledger {file} was made by another version of crowdlog (its tables are version {version}, "
            f"this one needs {VERSION}). Use that version, or import the log again and book what was spent: "
            "crowdlog budget NEWSTORE --book EPSILON DELTA"
        )


def _check_pages(connection: sqlite3.Connection) -> None:
    """Lines may be read from a file to which none can be added: that is damage, noticed before a charge."""
    connection.execute("SELECT number, content, hash FROM journal LIMIT 1").fetchone()
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("its pages contradict each other")
    # A trigger would swallow lines as they are added, and nobody would know.
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone():
        raise sqlite3.DatabaseError("a trigger or a view was added to it")


_PASSING = ("locked", "readonly", "read-only", "disk is full", "unable to open", "disk I/O")


def _why(error: Exception) -> str:
    """What SQLite says of it, in one line; of a damaged file that may be anything."""
    said = str(error) if isinstance(error, sqlite3.Error) else ""
    return said if said and said.isprintable() else "its tables cannot be read"


def _unusable(path: Path, error: Exception) -> InputError:
    """A full disk or a missing permission is no damage: then nothing has to be brought back."""
    why = _why(error)
    if any(word in why for word in _PASSING):
        return InputError(
            f"The ledger {path} cannot be used now ({why}). Nothing was charged. "
            "It needs room on the disk and the "
            "right to write in its folder; mend that and try again."
        )
    return InputError(
        f"The ledger {path} cannot be opened ({why}): it was damaged or emptied. "
        "Nothing is released without it. If you "
        "have its newest copy, put that back; an older one forgets what was spent. "
        "Else import the log again and "
        "book there what the labels of its releases say: crowdlog budget NEWSTORE --book EPSILON DELTA"
    )


def _look(file: Path) -> _Look:
    """The file and the folder around it, to be known again."""
    return file.stat(), file.parent.stat()


def _is_same(before: _Look, now: _Look) -> bool:
    return all(map(os.path.samestat, before, now))


def _check_unmoved(file: Path, before: _Look) -> None:
    """Refuse if another file came to lie at this path meanwhile: SQLite's three files would be of two stores.

    By now all three are open, so what happens to the path from here on does not reach them.
    """
    if not _is_same(before, _look(file)):
        raise InputError(
            f"The ledger {file} was replaced while it was opened. Nothing was charged; try again."
        )
