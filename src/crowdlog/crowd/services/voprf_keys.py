"""The keys of the oblivious PRF, one per collection, each in a file of its own, and how they die.

A key is open, closing or destroyed. Closing is recorded first: nothing is evaluated any more. Then the file
is overwritten and removed, and only when that is done the key is recorded as destroyed, which is what the
certificate says. Whatever a crash cuts short is finished at the next start, before anybody is answered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crowdlog.crowd.crypto.voprf import VoprfKey
from crowdlog.crowd.services.keyfile import destroy_secret, secret_for
from crowdlog.crowd.services.storage import Database, Transaction
from crowdlog.privacy.randomness import Randomness

SCHEMA = [
    "CREATE TABLE IF NOT EXISTS randomness_keys (public TEXT PRIMARY KEY, state TEXT NOT NULL, destroyed "
    "BIGINT NOT NULL)",
]


class VoprfKeys:
    """`clock`: when a key was destroyed, in seconds since 1970."""

    def __init__(self, database: Database, folder: Path, clock: Callable[[], float]) -> None:
        self._database, self._folder, self._clock = database, folder, clock
        self.finish()

    def _path(self, public: str) -> Path:
        return self._folder / f"{public}.key"

    def make(self, randomness: Randomness) -> str:
        """Make a key; return its public one in hex."""
        key = VoprfKey.generate(randomness)
        public = key.public.hex()
        with secret_for(self._path(public), key.to_bytes()), self._database.transaction() as t:
            t.run("INSERT INTO randomness_keys VALUES (?, 'open', 0)", (public,))
        return public

    def read(self, public: str) -> bytes | None:
        """The secret key; None once it is gone."""
        try:
            return self._path(public).read_bytes()
        except FileNotFoundError:
            return None

    @staticmethod
    def usable(t: Transaction, public: str) -> bool:
        """Whether something may be evaluated under a key; it stays so until this transaction ends."""
        where = "SELECT 1 FROM randomness_keys WHERE public = ? AND state = 'open' FOR SHARE"
        return bool(t.rows(where, (public,)))

    @staticmethod
    def destroyed(t: Transaction, public: str) -> int:
        """When a key was destroyed; 0 as long as anything of it may be on disk."""
        rows = t.rows(
            "SELECT destroyed FROM randomness_keys WHERE public = ? AND state = 'destroyed'", (public,)
        )
        return int(rows[0][0]) if rows else 0

    def close(self, t: Transaction, public: str) -> None:
        """Record that nothing is evaluated under a key any more; `finish` destroys it."""
        t.run("UPDATE randomness_keys SET state = 'closing' WHERE public = ? AND state = 'open'", (public,))

    def finish(self) -> None:
        """Destroy every key that was closed, then record that it is gone."""
        with self._database.transaction() as t:
            closing = [
                str(public)
                for (public,) in t.rows("SELECT public FROM randomness_keys WHERE state = 'closing'")
            ]
        for public in closing:
            destroy_secret(self._path(public))
            with self._database.transaction() as t:
                t.run(
                    "UPDATE randomness_keys SET state = 'destroyed', destroyed = ? "
                    "WHERE public = ? AND state = 'closing'",
                    (int(self._clock()), public),
                )
