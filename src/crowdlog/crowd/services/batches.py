"""What a mix node holds on disk: its collections, envelopes waiting for company, batches on their way, and
keyed hashes of what it has seen, until a collection ends.

Every envelope is sealed under a key of its own that is overwritten when the next node has it (vault.py), so
that neither order nor content survives in what a database keeps of deleted rows.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path

from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.storage import Transaction, open_database
from crowdlog.crowd.services.vault import RowVault
from crowdlog.crowd.shuffle import shuffled
from crowdlog.privacy.randomness import Randomness

# A collection waits for the certificate that the randomness key is gone, then takes envelopes, then empties
# itself, then has ended.
STATES = ("waiting", "open", "draining", "ended")
COUNTS = ("accepted", "duplicates", "rejected", "refused", "passed", "batches", "smallest_batch")
SCHEMA = [
    "CREATE TABLE IF NOT EXISTS mix_collections (id TEXT PRIMARY KEY, manifest TEXT NOT NULL, state TEXT "
    "NOT NULL, "
    "destroyed BIGINT NOT NULL, certificate TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS mix_counts (collection TEXT NOT NULL, name TEXT NOT NULL, value BIGINT NOT "
    "NULL, "
    "PRIMARY KEY (collection, name))",
    "CREATE TABLE IF NOT EXISTS mix_seen (collection TEXT NOT NULL, id BLOB NOT NULL, digest BLOB NOT NULL, "
    "PRIMARY KEY (collection, id)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS mix_held (collection TEXT NOT NULL, id BLOB NOT NULL, place BIGINT NOT NULL, "
    "sealed BLOB NOT NULL, batch BIGINT NOT NULL, PRIMARY KEY (collection, id)) WITHOUT ROWID",
]
_WAITING = 0  # the batch number of envelopes that are in none yet
# One envelope: what it is recognised by, a keyed hash of its bytes, and what was inside.
Taken = tuple[bytes, bytes, bytes]


class BatchStore:
    """The tables of a mix node. Every method is one transaction."""

    def __init__(self, url: str | None, folder: Path, randomness: Randomness) -> None:
        self._database = open_database(url, folder / "mix.sqlite", SCHEMA)
        self._vault = RowVault(folder / "rows.keys", randomness)
        self._randomness = randomness
        self._lock = threading.Lock()  # a row and its key belong together
        with self._database.transaction() as t:
            self._vault.keep_only({int(place) for (place,) in t.rows("SELECT place FROM mix_held")})

    def register(self, manifest: Manifest) -> None:
        with self._database.transaction() as t:
            t.run(
                "INSERT INTO mix_collections VALUES (?, ?, 'waiting', 0, '') ON CONFLICT DO NOTHING",
                (manifest.id, json.dumps(manifest.to_json())),
            )

    def find(self, collection_id: str) -> tuple[str, int, str, Manifest]:
        """Return state, time and certificate of the key's destruction, and the terms."""
        with self._database.transaction() as t:
            rows = t.rows(
                "SELECT state, destroyed, certificate, manifest FROM mix_collections WHERE id = ?",
                (collection_id,),
            )
        if not rows:
            raise Refused(404, "There is no such collection here.")
        state, destroyed, certificate, manifest = rows[0]
        return str(state), int(destroyed), str(certificate), Manifest.from_json(json.loads(manifest))

    def not_ended(self) -> list[str]:
        with self._database.transaction() as t:
            return [str(name) for (name,) in t.rows("SELECT id FROM mix_collections WHERE state <> 'ended'")]

    def open(self, collection_id: str, destroyed: int, certificate: str) -> None:
        """The randomness key is gone: envelopes may come."""
        with self._database.transaction() as t:
            t.run(
                "UPDATE mix_collections SET state = 'open', destroyed = ?, certificate = ? "
                "WHERE id = ? AND state = 'waiting'",
                (destroyed, certificate, collection_id),
            )

    def drain(self, collection_id: str) -> None:
        """No more envelopes come: let all that wait leave together."""
        with self._database.transaction() as t:
            t.run(
                "UPDATE mix_collections SET state = 'draining' WHERE id = ? AND state = 'open'",
                (collection_id,),
            )
        self.form(collection_id, 0)

    def end(self, collection_id: str) -> None:
        """All has left: forget what was seen."""
        with self._database.transaction() as t:
            t.run("UPDATE mix_collections SET state = 'ended' WHERE id = ?", (collection_id,))
            t.run("DELETE FROM mix_seen WHERE collection = ?", (collection_id,))

    def held(self) -> int:
        with self._database.transaction() as t:
            return int(t.rows("SELECT COUNT(*) FROM mix_held")[0][0])

    def keep(self, collection_id: str, taken: Sequence[Taken], rejected: int) -> dict[str, int]:
        """Store what was never seen before.

        An identity seen with other bytes (a slot used twice) is rejected; the same bytes again are a
        duplicate.
        """
        with self._lock:
            sealed = [(name, digest, *self._vault.seal(inner)) for name, digest, inner in taken]
            self._vault.sync()
            unused: list[int] = []
            try:
                with self._database.transaction() as t:
                    _still_open(t, collection_id)
                    counted = {"accepted": 0, "duplicates": 0, "rejected": rejected}
                    for name, digest, place, row in sealed:
                        outcome = _insert(t, collection_id, name, digest)
                        counted[outcome] += 1
                        if outcome == "accepted":
                            values = (collection_id, name, place, row, _WAITING)
                            t.run("INSERT INTO mix_held VALUES (?, ?, ?, ?, ?)", values)
                        else:
                            unused.append(place)
                    for outcome, amount in counted.items():
                        _add(t, collection_id, outcome, amount)
            except BaseException:
                self._vault.forget([place for *_rest, place, _row in sealed])
                raise
            if unused:
                self._vault.forget(unused)
        return counted

    def form(self, collection_id: str, pool: int) -> bool:
        """Make a batch of a random part of what waits, so that `pool` stay behind and at least as many leave;
        fixed on disk before anything of it is sent. Without a pool all leave.
        """
        with self._lock, self._database.transaction() as t:
            where = "SELECT id FROM mix_held WHERE collection = ? AND batch = ?"
            waiting = [bytes(name) for (name,) in t.rows(where, (collection_id, _WAITING))]
            if not waiting or len(waiting) < 2 * pool:
                return False
            leaving = shuffled(waiting, self._randomness)[: len(waiting) - pool]
            _add(t, collection_id, "batches", 1)
            number = _value(t, collection_id, "batches")
            t.run_many(
                "UPDATE mix_held SET batch = ? WHERE collection = ? AND id = ?",
                [(number, collection_id, name) for name in leaving],
            )
            smallest = _value(t, collection_id, "smallest_batch")
            if smallest == 0 or len(leaving) < smallest:
                _add(t, collection_id, "smallest_batch", len(leaving) - smallest)
        return True

    def oldest(self, collection_id: str) -> int | None:
        """Return the number of the batch that should leave next."""
        with self._database.transaction() as t:
            rows = t.rows(
                "SELECT MIN(batch) FROM mix_held WHERE collection = ? AND batch > 0", (collection_id,)
            )
        return None if rows[0][0] is None else int(rows[0][0])

    def shuffled(self, collection_id: str, batch: int) -> list[tuple[bytes, bytes]]:
        """Return a batch in random order: what each envelope is recognised by, and what is inside."""
        with self._database.transaction() as t:
            rows = t.rows(
                "SELECT id, place, sealed FROM mix_held WHERE collection = ? AND batch = ?",
                (collection_id, batch),
            )
        opened = [(bytes(name), self._vault.open(int(place), bytes(row))) for name, place, row in rows]
        return shuffled(opened, self._randomness)

    def forget(self, collection_id: str, names: Sequence[bytes], outcome: str) -> None:
        """Remove envelopes that the next node has ('passed') or will never take ('refused')."""
        with self._lock:
            with self._database.transaction() as t:
                places = []
                for name in names:
                    where = (collection_id, name)
                    rows = t.rows("SELECT place FROM mix_held WHERE collection = ? AND id = ?", where)
                    places += [int(place) for (place,) in rows]
                    t.run("DELETE FROM mix_held WHERE collection = ? AND id = ?", where)
                _add(t, collection_id, outcome, len(places))
            self._vault.forget(places)

    def counts(self, collection_id: str) -> dict[str, int]:
        with self._database.transaction() as t:
            waiting = t.rows("SELECT COUNT(*) FROM mix_held WHERE collection = ?", (collection_id,))
            counted = {name: _value(t, collection_id, name) for name in COUNTS}
        return {"held": int(waiting[0][0]), **counted}

    def close(self) -> None:
        self._database.close()
        self._vault.close()


def _still_open(t: Transaction, collection_id: str) -> None:
    rows = t.rows("SELECT state FROM mix_collections WHERE id = ?", (collection_id,))
    if not rows or rows[0][0] != "open":
        raise Refused(409, "This collection takes no envelopes now.")


def _insert(t: Transaction, collection_id: str, name: bytes, digest: bytes) -> str:
    """Record that an envelope was seen; return what it counts as."""
    values = (collection_id, name, digest)
    if t.run("INSERT INTO mix_seen VALUES (?, ?, ?) ON CONFLICT DO NOTHING", values):
        return "accepted"
    rows = t.rows("SELECT digest FROM mix_seen WHERE collection = ? AND id = ?", (collection_id, name))
    return "duplicates" if bytes(rows[0][0]) == digest else "rejected"


def _value(t: Transaction, collection_id: str, name: str) -> int:
    rows = t.rows("SELECT value FROM mix_counts WHERE collection = ? AND name = ?", (collection_id, name))
    return int(rows[0][0]) if rows else 0


def _add(t: Transaction, collection_id: str, name: str, amount: int) -> None:
    t.run(
        "INSERT INTO mix_counts VALUES (?, ?, ?) "
        "ON CONFLICT (collection, name) DO UPDATE SET value = mix_counts.value + excluded.value",
        (collection_id, name, amount),
    )
