"""What the aggregation server keeps on disk: collections with their phase, invitations, and reports.

A report is stored sealed, under keyed hashes of its group and of its sender's pseudonyms; the key of a
collection lies in a file of its own and is destroyed when the collection ends, so that what a database keeps
of deleted rows is noise. Reports of level 1 come out of opened ones while a nested collection is published,
and wait here for the others of their group.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.keyfile import destroy_secret, write_secret
from crowdlog.crowd.services.storage import StorageDown, Transaction, open_database
from crowdlog.privacy.randomness import Randomness

# A collection goes through these in order: clients mine (the key exists, no uploads); they upload (the key is
# destroyed); the last mix has passed on all it had; groups are opened; the crowd log can be looked at and
# every report is deleted; anybody may read it.
PHASES = ("mining", "uploading", "complete", "publishing", "ready", "published")
CANCELLED = "cancelled"  # in the place of any phase before the crowd log was written
COUNTS = ("received", "duplicates", "rejected", "over_limit", "invited", "joined")
SCHEMA = [
    "CREATE TABLE IF NOT EXISTS collections (number BIGINT PRIMARY KEY, id TEXT UNIQUE NOT NULL, "
    "phase TEXT NOT NULL, manifest TEXT NOT NULL, statistics TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS counts (collection BIGINT NOT NULL, name TEXT NOT NULL, value BIGINT NOT "
    "NULL, "
    "PRIMARY KEY (collection, name))",
    "CREATE TABLE IF NOT EXISTS invitations (hash BLOB PRIMARY KEY, collection BIGINT NOT NULL, request "
    "BLOB) "
    "WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS slots (collection BIGINT NOT NULL, name BLOB NOT NULL, "
    "PRIMARY KEY (collection, name)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS reports (collection BIGINT NOT NULL, tag BLOB NOT NULL, pseudonym BLOB NOT "
    "NULL, "
    "report BLOB NOT NULL, PRIMARY KEY (collection, tag, pseudonym)) WITHOUT ROWID",
]
_KNOWN_REPORT = "SELECT 1 FROM reports WHERE collection = ? AND tag = ? AND pseudonym = ?"
_NEW_REPORT = "INSERT INTO reports VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_NEW_SLOT = "INSERT INTO slots VALUES (?, ?) ON CONFLICT DO NOTHING"
_HASH_SIZE = 16
_NONCE_SIZE = 12


def digest(text: str | bytes) -> bytes:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).digest()


_NOBODY_NEW = "The collection takes no new people any more."
NOT_OPEN = "The uploads of this collection are not open here yet; send again later."
_NO_INVITATION = "This invitation is unknown or was used already; ask the operator for another."


class StoredReport(NamedTuple):
    """What is written of a report: its slot, its group and person, and the report itself, sealed."""

    slot: tuple[int, bytes]
    where: tuple[int, bytes, bytes]
    sealed: bytes


class _SeenBefore(Exception):  # noqa: N818 - what was found
    """Some of many reports are not new; nothing of them was stored."""


Inserting = Callable[[Transaction, Sequence[StoredReport]], list[str]]


class CollectionStore:
    """The tables of the aggregation server. Every method is one transaction."""

    def __init__(self, url: str | None, folder: Path, randomness: Randomness) -> None:
        self._database = open_database(url, folder / "aggregation.sqlite", SCHEMA)
        self._folder = folder
        self._randomness = randomness
        self._keys: dict[str, bytes] = {}
        self._creating = threading.Lock()  # one after the other: threads wait here, processes are refused

    def create(self, manifest: Manifest) -> None:
        """Begin a collection. The same terms again, also at the same moment, change nothing.

        Only who has the claim writes the key, and a key that is there stays: a collection may live by it. One
        without a collection, after a failure, seals nothing and is that of the next try.
        """
        with self._creating, self._database.claim("create") as mine:
            if not mine:
                raise StorageDown("Another collection is being made at this moment. Try again.")
            with self._database.transaction() as t:
                if t.rows("SELECT 1 FROM collections WHERE id = ?", (manifest.id,)):
                    return
            path = self._key_path(manifest.id)
            if not path.exists():
                write_secret(path, self._randomness.bytes(32))
            with self._database.transaction() as t:
                number = t.rows("SELECT COUNT(*) FROM collections")[0][0] + 1
                t.run(
                    "INSERT INTO collections VALUES (?, ?, 'mining', ?, '[]')",
                    (number, manifest.id, json.dumps(manifest.to_json())),
                )

    def find(self, collection_id: str) -> tuple[str, Manifest]:
        """Return the phase and the manifest of a collection."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT phase, manifest FROM collections WHERE id = ?", (collection_id,))
        if not rows:
            raise Refused(404, "There is no such collection here.")
        return str(rows[0][0]), Manifest.from_json(json.loads(rows[0][1]))

    def in_phase(self, phase: str) -> list[str]:
        with self._database.transaction() as t:
            return [str(name) for (name,) in t.rows("SELECT id FROM collections WHERE phase = ?", (phase,))]

    def all_ids(self) -> list[tuple[str, str]]:
        """Every collection with its phase, in the order they were made."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT id, phase FROM collections ORDER BY number")
        return [(str(name), str(phase)) for name, phase in rows]

    def advance(self, collection_id: str, phase: str) -> None:
        """Move a collection to the next phase; asking again is fine, going back or skipping is refused."""
        with self._database.transaction() as t:
            _advance(t, collection_id, phase)

    def begin_publishing(self, collection_id: str, statistics: list[dict[str, object]]) -> None:
        """Let the crowd log be made, and keep what the mixes signed, for its label."""
        with self._database.transaction() as t:
            _advance(t, collection_id, "publishing")
            t.run(
                "UPDATE collections SET statistics = ? WHERE id = ?", (json.dumps(statistics), collection_id)
            )

    def claim(self, collection_id: str) -> AbstractContextManager[bool]:
        """Whether the crowd log of this collection is this process's to make, as long as the block lasts."""
        claimed: AbstractContextManager[bool] = self._database.claim(f"publish {collection_id}")
        return claimed

    def statistics(self, collection_id: str) -> list[dict[str, int]]:
        with self._database.transaction() as t:
            rows = t.rows("SELECT statistics FROM collections WHERE id = ?", (collection_id,))
        return list(json.loads(rows[0][0]))

    def invite(self, collection_id: str, tokens: Sequence[str]) -> None:
        """Remember invitations by their hash only."""
        with self._database.transaction() as t:
            number, phase = _row(t, collection_id, " FOR SHARE")
            if phase != "mining":
                raise Refused(409, f"The collection is in phase '{phase}' and takes no new people.")
            t.run_many(
                "INSERT INTO invitations VALUES (?, ?, NULL)", [(digest(token), number) for token in tokens]
            )
            _add(t, number, "invited", len(tokens))

    def refuse_stranger(self, collection_id: str, token: str) -> None:
        """Refuse who has no invitation of this collection, used or not."""
        with self._database.transaction() as t:
            number, phase = _row(t, collection_id)
            if phase != "mining":
                raise Refused(410, _NOBODY_NEW)
            where = "SELECT 1 FROM invitations WHERE hash = ? AND collection = ?"
            if not t.rows(where, (digest(token), number)):
                raise Refused(403, _NO_INVITATION)

    def use_invitation(self, collection_id: str, token: str, request: bytes) -> None:
        """Bind an invitation to one credential request.

        The same request may come again: its answer may have been lost.
        """
        with self._database.transaction() as t:
            number, phase = _row(t, collection_id, " FOR SHARE")
            if phase != "mining":
                raise Refused(410, _NOBODY_NEW)
            own = (digest(token), number)
            # one statement, so that of two requests at once one finds the invitation used
            first = "UPDATE invitations SET request = ? WHERE hash = ? AND collection = ? AND request IS NULL"
            if t.run(first, (digest(request), *own)):
                _add(t, number, "joined", 1)
                return
            rows = t.rows("SELECT request FROM invitations WHERE hash = ? AND collection = ?", own)
            if not rows or bytes(rows[0][0]) != digest(request):
                raise Refused(403, _NO_INVITATION)

    def keep(self, collection_id: str, reports: Sequence[Report], rejected: int) -> dict[str, int]:
        """Store checked reports, one per person and artifact and one per slot; count the rest."""
        key = self._key(collection_id)
        # in one order, so that two workers that store the same reports never wait for each other
        ordered = sorted(reports, key=lambda report: report.slot_name)
        try:
            return self._keep(collection_id, key, ordered, rejected, _insert_new)
        except _SeenBefore:  # rare: then each is looked up by itself
            return self._keep(collection_id, key, ordered, rejected, _insert_each)

    def _keep(
        self, collection_id: str, key: bytes, reports: Sequence[Report], rejected: int, insert: Inserting
    ) -> dict[str, int]:
        counted = {"received": 0, "duplicates": 0, "over_limit": 0, "rejected": rejected}
        with self._database.transaction() as t:
            number, phase = _row(t, collection_id, " FOR SHARE")
            if phase == "mining":  # this server has yet to hear that the uploads are open: the mix keeps them
                raise Refused(409, NOT_OPEN)
            if phase != "uploading":
                counted["rejected"] += len(reports)
            else:
                for outcome in insert(t, self._stored(number, key, reports)):
                    counted[outcome] += 1
            for name, amount in counted.items():
                _add(t, number, name, amount)
        return counted

    def keep_inner(self, collection_id: str, reports: Sequence[Report]) -> None:
        """Store reports that came out of an opened one; storing them again after a crash changes nothing."""
        key = self._key(collection_id)
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
            _insert_each(t, self._stored(number, key, reports))

    def _stored(self, number: int, key: bytes, reports: Sequence[Report]) -> list[StoredReport]:
        """The rows of reports: hashes under the key of their collection, and each report sealed under it."""
        cipher, rows = ChaCha20Poly1305(key), []
        for report in reports:
            level, nonce = bytes([report.level]), self._randomness.bytes(_NONCE_SIZE)
            slot = (number, level + _hashed(key, report.slot_name))
            where = (number, level + _hashed(key, report.group), _hashed(key, report.pseudonym))
            rows.append(StoredReport(slot, where, nonce + cipher.encrypt(nonce, report.to_bytes(), None)))
        return rows

    def groups(self, collection_id: str, least: int, level: int = 0) -> Iterator[list[bytes]]:
        """Yield the reports of each group of a level that has at least `least` people, one group in memory at
        a time.
        """
        cipher = ChaCha20Poly1305(self._key(collection_id))
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
        large = (
            "SELECT tag FROM reports WHERE collection = ? AND tag >= ? AND tag < ? "
            "GROUP BY tag HAVING COUNT(*) >= ?"
        )
        rows = self._database.stream(
            f"SELECT tag, report FROM reports WHERE collection = ? AND tag IN ({large}) ORDER BY tag",
            (number, number, *_level(level), least),
        )
        for _tag, group in groupby(rows, key=itemgetter(0)):
            sealed = [bytes(report) for _same, report in group]
            yield [cipher.decrypt(row[:_NONCE_SIZE], row[_NONCE_SIZE:], None) for row in sealed]

    def counts(self, collection_id: str) -> dict[str, int]:
        """Count, never look: what came, who joined, and how many reports (of level 0) are still stored.

        No groups: whoever sees their number grow can tell whether a guess of his met somebody's report, and
        when.
        """
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
            counted = {name: _value(t, number, name) for name in COUNTS}
            stored = "SELECT COUNT(*) FROM reports WHERE collection = ? AND tag >= ? AND tag < ?"
            return {**counted, "stored": int(t.rows(stored, (number, *_level(0)))[0][0])}

    def cancel(self, collection_id: str) -> None:
        """End a collection of which nothing was published: destroy the key of every report, delete them.
        Asking again goes on where a crash stopped it. From the first step on nobody can begin to publish.
        """
        with self._database.transaction() as t:
            _number, now = _row(t, collection_id, " FOR UPDATE")
            if now in ("publishing", "ready", "published"):
                raise Refused(409, f"The collection is in phase '{now}': it cannot be cancelled any more.")
            t.run("UPDATE collections SET phase = ? WHERE id = ?", (CANCELLED, collection_id))
        self.finish(collection_id, CANCELLED)

    def finish(self, collection_id: str, phase: str = "ready") -> None:
        """The crowd log is written: destroy the key of every report, then delete them, opened or not."""
        self._keys.pop(collection_id, None)
        destroy_secret(self._key_path(collection_id))
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id, " FOR UPDATE")
            for table in ("reports", "slots", "invitations"):
                t.run(f"DELETE FROM {table} WHERE collection = ?", (number,))
            t.run("UPDATE collections SET phase = ? WHERE id = ?", (phase, collection_id))

    def close(self) -> None:
        self._database.close()

    def _key_path(self, collection_id: str) -> Path:
        return self._folder / f"{collection_id}.rows"

    def _key(self, collection_id: str) -> bytes:
        self.drop_destroyed()
        key = self._keys.get(collection_id)
        if key is None:
            try:
                key = self._key_path(collection_id).read_bytes()
            except FileNotFoundError as error:
                self.find(collection_id)
                raise Refused(410, "The collection has ended.") from error
            self._keys[collection_id] = key
        return key

    def drop_destroyed(self) -> None:
        """Forget keys whose file is gone: another worker may have ended the collection."""
        for name in list(self._keys):  # a copy: other threads read keys meanwhile
            if not self._key_path(name).exists():
                self._keys.pop(name, None)


def _insert_new(t: Transaction, reports: Sequence[StoredReport]) -> list[str]:
    """Store reports of which none was seen before, all with two statements; return what each counts as."""
    if not reports:
        return []
    new = t.run_many(_NEW_SLOT, [one.slot for one in reports])
    if new == len(reports):  # again in one order, for the sake of other workers
        new = t.run_many(
            _NEW_REPORT, [(*one.where, one.sealed) for one in sorted(reports, key=attrgetter("where"))]
        )
    if new != len(reports):
        raise _SeenBefore
    return ["received"] * len(reports)


def _insert_each(t: Transaction, reports: Sequence[StoredReport]) -> list[str]:
    """Store reports one by one; return what each counts as."""
    return [_insert(t, one) for one in reports]


def _insert(t: Transaction, one: StoredReport) -> str:
    if t.rows(_KNOWN_REPORT, one.where):
        return "duplicates"
    if not t.run(_NEW_SLOT, one.slot):
        # another worker may have stored it meanwhile
        return "duplicates" if t.rows(_KNOWN_REPORT, one.where) else "over_limit"
    return "received" if t.run(_NEW_REPORT, (*one.where, one.sealed)) else "duplicates"


def _advance(t: Transaction, collection_id: str, phase: str) -> None:
    _number, now = _row(t, collection_id, " FOR UPDATE")
    if now == CANCELLED:
        raise Refused(410, "The collection was cancelled.")
    if PHASES.index(phase) - PHASES.index(now) not in {0, 1}:
        raise Refused(409, f"The collection is in phase '{now}' and cannot go to '{phase}' from there.")
    t.run("UPDATE collections SET phase = ? WHERE id = ?", (phase, collection_id))


def _row(t: Transaction, collection_id: str, lock: str = "") -> tuple[int, str]:
    """Number and phase of a collection. `lock`: FOR SHARE where its phase must stay as long as this
    transaction lasts, FOR UPDATE where it changes.
    """
    rows = t.rows(f"SELECT number, phase FROM collections WHERE id = ?{lock}", (collection_id,))
    if not rows:
        raise Refused(404, "There is no such collection here.")
    return int(rows[0][0]), str(rows[0][1])


def _hashed(key: bytes, value: bytes) -> bytes:
    return hmac.digest(key, value, "sha256")[:_HASH_SIZE]


def _level(level: int) -> tuple[bytes, bytes]:
    """The tags of a level lie from the first of these to below the second."""
    return bytes([level]), bytes([level + 1])


def _value(t: Transaction, number: int, name: str) -> int:
    rows = t.rows("SELECT value FROM counts WHERE collection = ? AND name = ?", (number, name))
    return int(rows[0][0]) if rows else 0


def _add(t: Transaction, number: int, name: str, amount: int) -> None:
    if not amount:
        return
    t.run(
        "INSERT INTO counts VALUES (?, ?, ?) "
        "ON CONFLICT (collection, name) DO UPDATE SET value = counts.value + excluded.value",
        (number, name, amount),
    )
