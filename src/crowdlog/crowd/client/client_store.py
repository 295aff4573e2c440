"""What the client remembers on its own computer: collections joined, credentials, and the outbox.

One SQLite file that only its owner can read.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType, UnionType
from typing import Any

from crowdlog.crowd.client.reports import Prepared
from crowdlog.crowd.client.sample_artifacts import SampledArtifact
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import CrowdlogError, InputError

_FILE = "crowd.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS memberships (id TEXT PRIMARY KEY, url TEXT NOT NULL, manifest TEXT NOT NULL,
    invitation TEXT, pending BLOB, credentials BLOB, consented INTEGER NOT NULL DEFAULT 0,
    left_it INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0, prepared INTEGER NOT NULL DEFAULT 0,
    receipt TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS preparations (collection TEXT PRIMARY KEY, seed BLOB NOT NULL,
    chosen TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS outbox (number INTEGER PRIMARY KEY, collection TEXT NOT NULL,
    slot INTEGER NOT NULL, readable TEXT NOT NULL, submission BLOB NOT NULL, due REAL NOT NULL);
CREATE TABLE IF NOT EXISTS begun (number INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS damaged (number INTEGER NOT NULL, collection TEXT NOT NULL,
    readable TEXT NOT NULL, submission BLOB NOT NULL);
"""  # begun: reports of the outbox that may have left already; damaged: those that never will


@dataclass(frozen=True)
class Membership:
    """One collection as its member knows it.

    `credentials` is None until they have been issued, and again once everything was sent. `prepared`: her
    slots are used. `receipt`: when she agreed, and the head of the public list then.
    """

    manifest: Manifest
    url: str
    invitation: str | None = field(repr=False)
    pending: bytes | None = field(repr=False)
    credentials: bytes | None = field(repr=False)
    consented: bool
    left: bool
    sent: int
    prepared: bool
    receipt: str

    @property
    def id(self) -> str:
        return self.manifest.id


@dataclass(frozen=True)
class Item:
    """One report that waits to be sent: what it says, for its owner (nothing for a cover report), the exact
    bytes that would leave, and after which share of the upload window.
    """

    number: int
    slot: int
    readable: str = field(repr=False)
    submission: bytes = field(repr=False)
    due: float


class ClientStore:
    """A folder of the client's own. Deleted rows are overwritten (secure_delete), and the write-ahead log is
    emptied after every change: what was struck out, sent or left stands in no file, also while a sender runs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = folder / _FILE
            path.touch(mode=0o600)
            self._connection = sqlite3.connect(path, timeout=20, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise self._no_place() from error
        try:
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
                self._connection.execute(f"PRAGMA {pragma}")
            self._connection.executescript(_SCHEMA)
        except sqlite3.Error as error:
            self._connection.close()
            place = isinstance(error, sqlite3.OperationalError)
            raise (self._no_place() if place else self._damaged()) from error

    def _no_place(self) -> InputError:
        return InputError(
            f"The folder {self.folder} cannot hold the client's files; choose another with --home."
        )

    def _damaged(self) -> InputError:
        return InputError(
            f"The file {self.folder / _FILE} is damaged. Put a copy of it back if you have one, or choose "
            "another folder with --home and ask for new invitations."
        )

    def __enter__(self) -> ClientStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing: a full disk or Ctrl-C leaves the files as they were."""
        with self._translated():
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
                self._empty_log()
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Say what SQLite found in words that help: the folder's fault passes, a damaged file does not."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise CrowdlogError(
                f"The folder {self.folder} cannot be written (is the disk full, or another crowdlog at "
                "work?); nothing there was changed."
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged() from error

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """What was edited by hand may be of any kind; it is refused before anything is done with it."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise self._damaged() from error

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        with self._translated():
            return self._connection.execute(statement, values).fetchall()

    def _empty_log(self) -> None:
        """What was committed is safe already: a full disk or a long reader only leaves this to the next
        change.
        """
        with suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def begin(self, manifest: Manifest, url: str, invitation: str, pending: bytes) -> None:
        """Remember a join before it is asked for: a lost answer can be asked for again."""
        with self._transaction() as t:
            t.execute("DELETE FROM memberships WHERE id = ?", (manifest.id,))
            t.execute(
                "INSERT INTO memberships (id, url, manifest, invitation, pending) VALUES (?, ?, ?, ?, ?)",
                (manifest.id, url, json.dumps(manifest.to_json()), invitation, pending),
            )

    def joined(self, collection_id: str, credentials: bytes) -> None:
        """Keep the credentials; not of what she has left meanwhile."""
        with self._transaction() as t:
            t.execute(
                "UPDATE memberships SET credentials = ?, pending = NULL, invitation = NULL "
                "WHERE id = ? AND NOT left_it",
                (credentials, collection_id),
            )

    def keep_receipt(self, collection_id: str, receipt: str) -> None:
        with self._transaction() as t:
            t.execute("UPDATE memberships SET receipt = ? WHERE id = ?", (receipt, collection_id))

    def memberships(self) -> list[Membership]:
        rows = self._rows(
            "SELECT manifest, url, invitation, pending, credentials, consented, left_it, sent, prepared, "
            "receipt "
            "FROM memberships"
        )
        with self._understood():
            return [_membership(*row) for row in rows]

    def membership(self, collection_id: str | None, *, left_too: bool = False) -> Membership:
        """Return the membership whose id begins so; without an id, the only one there is."""
        known = [m for m in self.memberships() if left_too or not m.left]
        found = [m for m in known if m.id.startswith(collection_id or "")]
        if len(found) == 1:
            return found[0]
        if not found:
            raise InputError("You are in no such collection; join one with: crowdlog crowd join LINK")
        raise InputError(
            f"You are in {len(found)} collections that fit; say which with --collection and the beginning "
            "of its id."
        )

    def consent(self, collection_id: str) -> None:
        with self._transaction() as t:
            t.execute("UPDATE memberships SET consented = 1 WHERE id = ?", (collection_id,))

    def begin_preparing(
        self, collection_id: str, seed: bytes, chosen: Sequence[SampledArtifact]
    ) -> tuple[bytes, list[SampledArtifact]]:
        """Remember what will be prepared and from which secret; what was begun before goes on instead."""
        with self._transaction() as t:
            t.execute(
                "INSERT INTO preparations VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (collection_id, seed, json.dumps([item.to_json() for item in chosen])),
            )
            row = t.execute(
                "SELECT seed, chosen FROM preparations WHERE collection = ?", (collection_id,)
            ).fetchone()
        with self._understood():
            _check([(bytes, row[0])])
            return row[0], _sampled(row[1])

    def preparing(self, collection_id: str) -> list[SampledArtifact] | None:
        """What a preparation that was begun and not finished will go on with; None if there is none."""
        found = self._rows("SELECT chosen FROM preparations WHERE collection = ?", (collection_id,))
        with self._understood():
            return _sampled(found[0][0]) if found else None

    def fill(self, collection_id: str, seed: bytes, items: Sequence[tuple[Prepared, float]]) -> bool:
        """Fill the outbox with prepared reports, each with the share of the window after which it leaves;
        False if what was begun with this seed is gone: she has left meanwhile, or another filled it first.
        """
        own = "SELECT 1 FROM preparations WHERE collection = ? AND seed = ?"
        with self._transaction() as t:
            if t.execute(own, (collection_id, seed)).fetchone() is None:
                return False
            t.executemany(
                "INSERT INTO outbox (collection, slot, readable, submission, due) VALUES (?, ?, ?, ?, ?)",
                [(collection_id, one.slot, one.readable, one.submission, due) for one, due in items],
            )
            t.execute("DELETE FROM preparations WHERE collection = ?", (collection_id,))
            t.execute("UPDATE memberships SET prepared = 1 WHERE id = ?", (collection_id,))
        return True

    def outbox(self, collection_id: str) -> list[Item]:
        rows = self._rows(
            "SELECT number, slot, readable, submission, due FROM outbox WHERE collection = ? ORDER BY number",
            (collection_id,),
        )
        with self._understood():
            return [_item(*row) for row in rows]

    def begin_sending(self, collection_id: str, number: int) -> Item | None:
        """The report as it is now, which from here on may have left; None if it is not in the outbox any
        more: she left, or another sender was faster.
        """
        with self._transaction() as t:
            row = t.execute(
                "SELECT number, slot, readable, submission, due FROM outbox "
                "WHERE number = ? AND collection = ?",
                (number, collection_id),
            ).fetchone()
            if row is not None:
                t.execute("INSERT INTO begun VALUES (?) ON CONFLICT DO NOTHING", (number,))
        with self._understood():
            return None if row is None else _item(*row)

    def replace(self, number: int, made: Prepared) -> bool:
        """Put another report in the place of one; False if that may have left already."""
        with self._transaction() as t:
            changed = t.execute(
                "UPDATE outbox SET readable = ?, submission = ? WHERE number = ? "
                "AND number NOT IN (SELECT number FROM begun)",
                (made.readable, made.submission, number),
            )
        return bool(changed.rowcount)

    def reschedule(self, number: int, due: float) -> None:
        with self._transaction() as t:
            t.execute("UPDATE outbox SET due = ? WHERE number = ?", (due, number))

    def mark_sent(self, collection_id: str, item: Item) -> None:
        """Forget what was acknowledged; only the number of all is kept."""
        with self._transaction() as t:
            gone = _forget(t, collection_id, item)
            t.execute("UPDATE memberships SET sent = sent + ? WHERE id = ?", (gone, collection_id))

    def mark_refused(self, collection_id: str, item: Item) -> None:
        """Forget what will never be taken; it does not count as sent."""
        with self._transaction() as t:
            _forget(t, collection_id, item)

    def set_aside(self, collection_id: str, item: Item) -> None:
        """Keep a report whose bytes are not those that were made, but not in the outbox."""
        with self._transaction() as t:
            t.execute(
                "INSERT INTO damaged SELECT number, collection, readable, submission FROM outbox "
                "WHERE number = ? AND collection = ?",
                (item.number, collection_id),
            )
            _forget(t, collection_id, item)

    def damaged(self, collection_id: str) -> list[int]:
        """The numbers of the reports that were set aside."""
        found = self._rows(
            "SELECT number FROM damaged WHERE collection = ? ORDER BY number", (collection_id,)
        )
        return [number for (number,) in found]

    def leave(self, collection_id: str) -> int:
        """Delete what was not sent and the credential; return how many reports were deleted.

        That one left is remembered.
        """
        with self._transaction() as t:
            deleted = t.execute("DELETE FROM outbox WHERE collection = ?", (collection_id,)).rowcount
            deleted += t.execute("DELETE FROM damaged WHERE collection = ?", (collection_id,)).rowcount
            t.execute("DELETE FROM begun WHERE number NOT IN (SELECT number FROM outbox)")
            t.execute("DELETE FROM preparations WHERE collection = ?", (collection_id,))
            t.execute(
                "UPDATE memberships SET left_it = 1, consented = 0, credentials = NULL, pending = NULL, "
                "invitation = NULL WHERE id = ?",
                (collection_id,),
            )
        return deleted


def _forget(t: sqlite3.Connection, collection_id: str, item: Item) -> int:
    """Delete a report; return 0 if it was gone already. After the last one the credentials go too: nothing is
    left that could recognise her reports.
    """
    own = (item.number, collection_id)
    gone = t.execute("DELETE FROM outbox WHERE number = ? AND collection = ?", own).rowcount
    t.execute("DELETE FROM begun WHERE number NOT IN (SELECT number FROM outbox)")
    t.execute(
        "UPDATE memberships SET credentials = NULL WHERE id = ? AND NOT EXISTS "
        "(SELECT 1 FROM outbox WHERE collection = ?)",
        (collection_id, collection_id),
    )
    return gone


def _membership(
    manifest: str,
    url: str,
    invitation: str | None,
    pending: bytes | None,
    credentials: bytes | None,
    consented: int,
    left: int,
    sent: int,
    prepared: int,
    receipt: str,
) -> Membership:
    _check([(str, url), (str, receipt), (int, sent)])
    _check([(bytes | None, pending), (bytes | None, credentials), (str | None, invitation)])
    return Membership(
        Manifest.from_json(json.loads(manifest)),
        url,
        invitation,
        pending,
        credentials,
        bool(consented),
        bool(left),
        sent,
        bool(prepared),
        receipt,
    )


def _item(number: int, slot: int, readable: str, submission: bytes, due: float) -> Item:
    _check([(int, slot), (str, readable), (bytes, submission)])
    if not math.isfinite(due):
        raise ValueError
    return Item(number, slot, readable, submission, due)


def _sampled(chosen: str) -> list[SampledArtifact]:
    return [SampledArtifact.from_json(item) for item in json.loads(chosen)]


def _check(columns: Sequence[tuple[type | UnionType, object]]) -> None:
    """A column of SQLite holds what somebody wrote there, whatever its kind."""
    if any(not isinstance(value, kind) for kind, value in columns):
        raise TypeError
