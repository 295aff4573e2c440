"""The one source of randomness.

Every draw of noise, every shuffle and every key comes from an object of this file.
"""

from __future__ import annotations

import hashlib
import os
from typing import Protocol


class Randomness(Protocol):
    """Where random bytes come from. `private` is False when somebody could repeat the draws."""

    @property
    def private(self) -> bool: ...

    def bytes(self, n: int) -> bytes:
        """Return n fresh random bytes."""
        ...


class SystemRandomness:
    """The operating system's cryptographic generator: the only source a release may use."""

    private = True

    def bytes(self, n: int) -> bytes:
        return os.urandom(n)

    def __repr__(self) -> str:
        return "SystemRandomness()"


class SeededRandomness:
    """A repeatable stream (SHAKE-256 of seed and call number) for tests and synthetic data.

    What it protects is not private.
    """

    private = False

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._calls = 0

    def bytes(self, n: int) -> bytes:
        self._calls += 1
        return hashlib.shake_256(f"crowdlog seeded randomness {self._seed} {self._calls}".encode()).digest(n)

    def __repr__(self) -> str:
        return f"SeededRandomness({self._seed})"
