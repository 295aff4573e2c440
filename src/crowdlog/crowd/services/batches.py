"""What a mix node holds on disk: its collections, envelopes waiting for company, batches on their way, and
keyed hashes of what it has seen, until a collection ends.

Envelopes lie in a file without order (pool_file.py). The database knows which of them are in a batch, written
in random order, and what was seen, as hashes under a key that is destroyed at the end. Nothing in it tells
which envelope came with what, so the order in which a database keeps its rows says nothing about envelopes.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.keyfile import destroy_secret
from crowdlog.crowd.services.pool_file import PoolFile
from crowdlog.crowd.services.storage import StorageFull, Transaction, open_database
from crowdlog.crowd.shuffle import shuffled
from crowdlog.privacy.randomness import Randomness

# A collection waits for the certificate that the randomness key is gone, then takes envelopes, then empties
# itself, then has ended.
STATES = ("waiting", "open", "draining", "ended")
# rejected: a slot used twice, or what does not open; turned away: at the door; refused: by the next party,
# which signed that the collection has ended there; unproved: answers at its address that it did not sign
COUNTS = (
    "accepted",
    "duplicates",
    "rejected",
    "turned_away",
    "refused",
    "unproved",
    "passed",
    "batches",
    "smallest_batch",
)
SCHEMA = [
    "CREATE TABLE IF NOT EXISTS mix_collections (id TEXT PRIMARY KEY, manifest TEXT NOT NULL, state TEXT "
    "NOT NULL, "
    "destroyed BIGINT NOT NULL, certificate TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS mix_counts (collection TEXT NOT NULL, name TEXT NOT NULL, value BIGINT NOT "
    "NULL, "
    "PRIMARY KEY (collection, name))",
    "CREATE TABLE IF NOT EXISTS mix_seen (collection TEXT NOT NULL, id BLOB NOT NULL, digest BLOB NOT NULL, "
    "PRIMARY KEY (collection, id)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS mix_leaving (collection TEXT NOT NULL, id BLOB NOT NULL, batch BIGINT NOT "
    "NULL, PRIMARY KEY (collection, id)) WITHOUT ROWID",
]
# Batch numbers of envelopes whose outcome is known, until they are overwritten and counted.
_SETTLED = {"passed": -1, "refused": -2}
# One envelope: what it is recognised by, a hash of its bytes, and what was inside.
Taken = tuple[bytes, bytes, bytes]


class BatchStore:
    """The tables and files of a mix node. One process has them."""

    def __init__(self, url: str | None, folder: Path, randomness: Randomness) -> None:
        self._database = open_database(url, folder / "mix.sqlite", SCHEMA)
        self._folder, self._randomness = folder, randomness
        self._pools: dict[str, PoolFile] = {}
        self._manifests: dict[str, Manifest] = {}
        self._turned_away: Counter[str] = Counter()  # since they were written down last
        self._lock = threading.RLock()  # pool and tables belong together
        with self._database.transaction() as t:
            states = {
                str(name): str(state) for name, state in t.rows("SELECT id, state FROM mix_collections")
            }
        for path in folder.glob("*.pool"):
            state = states.get(path.stem)
            if state == "ended":  # killed while it ended
                destroy_secret(path)
            elif state is not None:  # a pool that this database does not know waits for its own
                self._pool(path.stem)
                self._settle(path.stem)

    def _pool(self, collection_id: str) -> PoolFile:
        """The envelopes of a collection that has not ended."""
        if collection_id not in self._pools:
            collection = self.find(collection_id)[3].collection
            largest = collection.report_size() + len(collection.mix_publics) * LAYER_OVERHEAD
            path = self._folder / f"{collection_id}.pool"
            self._pools[collection_id] = PoolFile(path, largest, self._randomness)
        return self._pools[collection_id]

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
        state, destroyed, certificate, terms = rows[0]
        if collection_id not in self._manifests:  # terms never change
            self._manifests[collection_id] = Manifest.from_json(json.loads(terms))
        return str(state), int(destroyed), str(certificate), self._manifests[collection_id]

    def terms(self, collection_id: str) -> Manifest:
        """The terms of a collection, read once."""
        return self._manifests.get(collection_id) or self.find(collection_id)[3]

    def state(self, collection_id: str) -> tuple[str, int]:
        """Return state and time of the key's destruction, without the terms."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT state, destroyed FROM mix_collections WHERE id = ?", (collection_id,))
        if not rows:
            raise Refused(404, "There is no such collection here.")
        return str(rows[0][0]), int(rows[0][1])

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
        """No more envelopes come: all that wait may leave together."""
        with self._database.transaction() as t:
            t.run(
                "UPDATE mix_collections SET state = 'draining' WHERE id = ? AND state = 'open'",
                (collection_id,),
            )

    def end(self, collection_id: str) -> None:
        """All has left: forget what was seen."""
        with self._lock:
            pool = self._pool(collection_id)
            with self._database.transaction() as t:
                t.run("UPDATE mix_collections SET state = 'ended' WHERE id = ?", (collection_id,))
                t.run("DELETE FROM mix_seen WHERE collection = ?", (collection_id,))
            self.note_turned_away(collection_id)
            pool.destroy()
            del self._pools[collection_id]

    def held(self) -> int:
        with self._lock:
            return sum(map(len, self._pools.values()))

    def keep(self, collection_id: str, taken: Sequence[Taken], rejected: int) -> dict[str, int]:
        """Store what was never seen before.

        An identity seen with other bytes (a slot used twice) is rejected; the same bytes again are a
        duplicate.
        """
        counted = {"accepted": 0, "duplicates": 0, "rejected": rejected}
        added: list[bytes] = []
        with self._lock:
            if collection_id not in self._pools:  # what comes after the end must not begin a pool anew
                with self._database.transaction() as t:
                    _still_open(t, collection_id)
            pool = self._pool(collection_id)
            try:
                with self._database.transaction() as t:
                    _still_open(t, collection_id)
                    new = []
                    for name, digest, inner in taken:
                        outcome = _insert(
                            t, collection_id, _hashed(pool.key, name), _hashed(pool.key, digest)
                        )
                        counted[outcome] += 1
                        if outcome == "accepted":
                            new.append(inner)
                    for outcome, amount in counted.items():
                        _add(t, collection_id, outcome, amount)
                    added = pool.add(new)  # on disk before it is acknowledged
            except (Refused, StorageFull):
                pool.forget(added)
                raise
            # After any other failure the envelopes stay: the transaction may have been made. If it was not
            # they come again, and the next node knows them.
        return counted

    def turn_away(self, collection_id: str) -> None:
        """Count an envelope that does not come in. In memory: junk must not cost a write to the disk."""
        with self._lock:
            self._turned_away[collection_id] += 1

    def note_turned_away(self, collection_id: str) -> None:
        """Write down how many did not come in since the last time."""
        with self._lock:
            if amount := self._turned_away[collection_id]:
                with self._database.transaction() as t:
                    _add(t, collection_id, "turned_away", amount)
                self._turned_away[collection_id] = 0

    def note_unproved(self, collection_id: str) -> None:
        """Count an answer that is not provably the next party's; what it answered to stays here."""
        with self._database.transaction() as t:
            _add(t, collection_id, "unproved", 1)

    def form(self, collection_id: str, pool: int) -> bool:
        """Make a batch of a random part of what waits, so that `pool` stay behind and at least as many leave;
        fixed on disk before anything of it is sent. Without a pool all leave.
        """
        with self._lock:
            held = self._pool(collection_id)
            return len(held) >= max(1, 2 * pool) and self._form(collection_id, pool, held)

    def _form(self, collection_id: str, pool: int, held: PoolFile) -> bool:
        with self._database.transaction() as t:
            where = "SELECT id FROM mix_leaving WHERE collection = ?"
            away = {bytes(name) for (name,) in t.rows(where, (collection_id,))}
            waiting = [name for name in held.names() if name not in away]
            if not waiting or len(waiting) < 2 * pool:
                return False
            leaving = shuffled(waiting, self._randomness)[: len(waiting) - pool]
            _add(t, collection_id, "batches", 1)
            number = _value(t, collection_id, "batches")
            t.run_many(
                "INSERT INTO mix_leaving VALUES (?, ?, ?)",
                [(collection_id, name, number) for name in leaving],
            )
            smallest = _value(t, collection_id, "smallest_batch")
            if smallest == 0 or len(leaving) < smallest:
                _add(t, collection_id, "smallest_batch", len(leaving) - smallest)
        return True

    def oldest(self, collection_id: str) -> int | None:
        """Return the number of the batch that should leave next."""
        with self._database.transaction() as t:
            rows = t.rows(
                "SELECT MIN(batch) FROM mix_leaving WHERE collection = ? AND batch > 0", (collection_id,)
            )
        return None if rows[0][0] is None else int(rows[0][0])

    def shuffled(self, collection_id: str, batch: int) -> list[tuple[bytes, bytes]]:
        """Return a batch in random order: what each envelope is recognised by, and what is inside."""
        with self._lock:
            with self._database.transaction() as t:
                rows = t.rows(
                    "SELECT id FROM mix_leaving WHERE collection = ? AND batch = ?", (collection_id, batch)
                )
            held = self._pool(collection_id)
            opened = [(bytes(name), held.open(bytes(name))) for (name,) in rows]
        return shuffled(opened, self._randomness)

    def forget(self, collection_id: str, names: Sequence[bytes], outcome: str) -> None:
        """Overwrite envelopes that the next node has ('passed') or has done with ('refused')."""
        with self._lock:
            with self._database.transaction() as t:
                t.run_many(
                    "UPDATE mix_leaving SET batch = ? WHERE collection = ? AND id = ?",
                    [(_SETTLED[outcome], collection_id, name) for name in names],
                )
            self._settle(collection_id)

    def _settle(self, collection_id: str) -> None:
        """Overwrite what has an outcome, then count it: a crash in between counts nothing twice."""
        for outcome, number in _SETTLED.items():
            where = (collection_id, number)
            with self._database.transaction() as t:
                rows = t.rows("SELECT id FROM mix_leaving WHERE collection = ? AND batch = ?", where)
            if not rows:
                continue
            self._pool(collection_id).forget([bytes(name) for (name,) in rows])
            with self._database.transaction() as t:
                t.run("DELETE FROM mix_leaving WHERE collection = ? AND batch = ?", where)
                _add(t, collection_id, outcome, len(rows))

    def counts(self, collection_id: str) -> dict[str, int]:
        with self._lock:
            with self._database.transaction() as t:
                counted = {name: _value(t, collection_id, name) for name in COUNTS}
            counted["turned_away"] += self._turned_away[collection_id]
            pool = self._pools.get(collection_id)
            return {"held": 0 if pool is None else len(pool), **counted}

    def close(self) -> None:
        self._database.close()
        for pool in self._pools.values():
            pool.close()


def _hashed(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, key=key, digest_size=16).digest()


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
    if not amount:
        return
    t.run(
        "INSERT INTO mix_counts VALUES (?, ?, ?) "
        "ON CONFLICT (collection, name) DO UPDATE SET value = mix_counts.value + excluded.value",
        (collection_id, name, amount),
    )
