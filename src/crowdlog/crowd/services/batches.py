"""What a mix node holds on disk: envelopes waiting for company, batches on their way, and hashes of all it
has ever seen.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from crowdlog.crowd.services.storage import Transaction, open_database
from crowdlog.crowd.shuffle import shuffled
from crowdlog.privacy.randomness import Randomness

SCHEMA = [
    "CREATE TABLE IF NOT EXISTS seen (id BLOB PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS held (id BLOB PRIMARY KEY, inner_layer BLOB NOT NULL, batch BIGINT NOT NULL) "
    "WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
]
_WAITING = 0  # the batch number of envelopes that are in none yet


class BatchStore:
    """Envelopes by keyed hash: no order, no origin."""

    def __init__(self, url: str | None, path: Path) -> None:
        self._database = open_database(url, path, SCHEMA)
        self._lock = threading.Lock()  # keeps the two counts in step with the tables
        with self._database.transaction() as t:
            self._waiting = _count(t, "batch = 0")
            self._leaving = _count(t, "batch > 0")

    def held(self) -> int:
        return self._waiting + self._leaving

    def keep(self, opened: Sequence[tuple[bytes, bytes]], rejected: int) -> int:
        """Store (id, inner layer) pairs that were never seen before; return how many were new."""
        new = 0
        with self._lock:
            with self._database.transaction() as t:
                for identity, inner in opened:
                    if t.run("INSERT INTO seen VALUES (?) ON CONFLICT DO NOTHING", (identity,)):
                        new += t.run("INSERT INTO held VALUES (?, ?, ?)", (identity, inner, _WAITING))
                _add(t, "rejected", rejected)
            self._waiting += new
        return new

    def form(self, least: int) -> bool:
        """Make a batch of all that waits, if that is at least `least`; fixed on disk before anything of it is
        sent.
        """
        with self._lock:
            size = self._waiting
            if size < least:
                return False
            with self._database.transaction() as t:
                _add(t, "batches", 1)
                t.run("UPDATE held SET batch = ? WHERE batch = ?", (_value(t, "batches"), _WAITING))
                smallest = _value(t, "smallest_batch")
                if smallest == 0 or size < smallest:
                    _add(t, "smallest_batch", size - smallest)
            self._waiting = 0
            self._leaving += size
        return True

    def oldest(self) -> int | None:
        """Return the number of the batch that should leave next."""
        if self._leaving == 0:
            return None
        with self._database.transaction() as t:
            return int(t.rows("SELECT MIN(batch) FROM held WHERE batch > 0")[0][0])

    def shuffled(self, batch: int, randomness: Randomness) -> list[bytes]:
        """Return the inner layers of a batch in random order."""
        with self._database.transaction() as t:
            return shuffled(
                [inner for (inner,) in t.rows("SELECT inner_layer FROM held WHERE batch = ?", (batch,))],
                randomness,
            )

    def forget(self, batch: int) -> None:
        """Remove a batch that the next node has."""
        with self._lock:
            with self._database.transaction() as t:
                gone = t.run("DELETE FROM held WHERE batch = ?", (batch,))
                _add(t, "passed", gone)
            self._leaving -= gone

    def status(self) -> dict[str, int]:
        with self._database.transaction() as t:
            counted = {name: _value(t, name) for name in ("passed", "rejected", "smallest_batch")}
        return {"waiting": self._waiting, "leaving": self._leaving, **counted}

    def close(self) -> None:
        self._database.close()


def _count(t: Transaction, condition: str) -> int:
    return int(t.rows(f"SELECT COUNT(*) FROM held WHERE {condition}")[0][0])


def _value(t: Transaction, name: str) -> int:
    rows = t.rows("SELECT value FROM counts WHERE name = ?", (name,))
    return int(rows[0][0]) if rows else 0


def _add(t: Transaction, name: str, amount: int) -> None:
    t.run(
        "INSERT INTO counts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = counts.value + "
        "excluded.value",
        (name, amount),
    )
