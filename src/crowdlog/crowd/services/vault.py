"""Keys of stored rows, one per row, so that forgetting a row means overwriting its key.

Databases keep what was deleted: in the write-ahead log, in dead rows, in free pages. What a service stores is
sealed, and the key of each row lies in a file of fixed places outside the database. A place is chosen at
random, so the file holds no order of arrival. Once a place is overwritten with zeros, and that is on disk,
every copy of the row that the database may still hold is noise.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from crowdlog.crowd.shuffle import uniform_below
from crowdlog.privacy.randomness import Randomness

_SIZE = 32
_NONCE = bytes(12)  # a key seals one row, once
_GROW = 1024  # places added at a time


class RowVault:
    """A file of 32-byte keys; a place of zeros is free."""

    def __init__(self, path: Path, randomness: Randomness) -> None:
        self._randomness = randomness
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        held = os.pread(self._file, os.fstat(self._file).st_size, 0)
        self._size = len(held) // _SIZE
        self._free = [place for place in range(self._size) if not any(held[place * _SIZE :][:_SIZE])]

    def seal(self, row: bytes) -> tuple[int, bytes]:
        """Seal a row under a key of its own; return the key's place and the row. On disk after `sync`."""
        key = self._randomness.bytes(_SIZE)
        with self._lock:
            place = self._free_place()
            os.pwrite(self._file, key, place * _SIZE)
        return place, ChaCha20Poly1305(key).encrypt(_NONCE, row, None)

    def open(self, place: int, sealed: bytes) -> bytes:
        key = os.pread(self._file, _SIZE, place * _SIZE)
        return ChaCha20Poly1305(key).decrypt(_NONCE, sealed, None)

    def sync(self) -> None:
        """Make sure that the keys written so far are on disk: before the rows they seal are acknowledged."""
        os.fsync(self._file)

    def forget(self, places: list[int]) -> None:
        """Overwrite these keys and make sure that is on disk."""
        with self._lock:
            for place in places:
                os.pwrite(self._file, bytes(_SIZE), place * _SIZE)
            os.fsync(self._file)
            self._free += places

    def keep_only(self, places: set[int]) -> None:
        """Forget every key that no row uses: what a crash left between two steps."""
        free = set(self._free)
        self.forget([place for place in range(self._size) if place not in places and place not in free])

    def close(self) -> None:
        os.close(self._file)

    def _free_place(self) -> int:
        if not self._free:
            os.ftruncate(self._file, (self._size + _GROW) * _SIZE)
            self._free = list(range(self._size, self._size + _GROW))
            self._size += _GROW
        chosen = uniform_below(len(self._free), self._randomness)
        self._free[chosen], self._free[-1] = self._free[-1], self._free[chosen]
        return self._free.pop()
