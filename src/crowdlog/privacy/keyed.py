"""Randomness that does not depend on who draws first: one secret, expanded for every step and key.

An engine that spreads its work over machines may count a part twice, or in another order; the noise of a key
must be the same each time, or the better of two draws would be published. So every key has a stream of random
bytes of its own: AES-256 under a key for the step, of the number of the key and of the block. Proof:
proofs/keyed-randomness.md.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Ints

BLOCK = 16  # bytes that AES makes at once
OWN = "bytes"  # the step of draws that belong to no key


class KeyedRandomness:
    """All draws of one release follow from the secret. It is never written, and its repr does not show it."""

    def __init__(
        self, secret: bytes, *, private: bool, names: Ints | None = None, users: Ints | None = None
    ) -> None:
        self._secret = secret
        # The key of each number that draws are asked for, and who each user of a part is in the log.
        self._names, self._users = names, users
        self._calls = 0
        self.private = private

    @classmethod
    def of(cls, randomness: Randomness) -> KeyedRandomness:
        """Keyed randomness with a new secret, which is drawn from `randomness`."""
        return cls(randomness.bytes(32), private=randomness.private)

    def bytes(self, n: int) -> bytes:
        """Fresh bytes for what exists once in a release, in the order of asking."""
        self._calls += 1
        return hashlib.shake_256(self._subkey(f"{OWN} {self._calls}")).digest(n)

    def within(self, part: str, names: Ints | None = None, users: Ints | None = None) -> KeyedRandomness:
        """For one part of a release, whose numbers 0, 1, … stand for these keys and users (default: for
        themselves).
        """
        return KeyedRandomness(self._subkey(f"part {part}"), private=self.private, names=names, users=users)

    def streams(self, step: str, numbers: Ints) -> KeyStreams:
        """A stream for each of these numbers, which are all different."""
        keys = numbers if self._names is None else self._names[numbers]
        return KeyStreams(self._cipher(f"keys {step}"), keys, np.zeros(len(keys), np.int64))

    def tags(self, step: str, users: Ints, numbers: Any, place: Ints | None = None) -> Any:
        """64 random bits for each number that a user holds, by user and key; and by place, where a user holds
        a number several times.
        """
        keys = numbers if self._names is None else self._names[numbers]
        who = users if self._users is None else self._users[users]
        blocks = _encrypted(self._cipher(f"pairs {step}"), who, keys)
        if place is not None:
            blocks[:, 0] ^= place.astype(np.uint64)
            blocks = _encrypted(self._cipher(f"places {step}"), blocks[:, 0], blocks[:, 1])
        return blocks[:, 0].copy()

    def _cipher(self, purpose: str) -> Any:
        # Loaded here: every table of noise is made by way of this module, and few draws are keyed.
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        # Every block is encrypted once under this key, so that the mode has nothing to add.
        return Cipher(algorithms.AES(self._subkey(purpose)), modes.ECB())  # noqa: S305

    def _subkey(self, purpose: str) -> Any:
        return hashlib.blake2b(purpose.encode(), key=self._secret, digest_size=32).digest()

    def __repr__(self) -> str:
        return "KeyedRandomness()"


class KeyStreams:
    """A stream of random bytes for each key. Taking from some leaves the others where they were."""

    def __init__(self, cipher: Any, keys: Ints, taken: Ints, at: Any = slice(None)) -> None:
        self._cipher, self._keys, self._taken, self._at = cipher, keys, taken, at
        self.private = True

    def bytes(self, n: int) -> bytes:
        """n bytes, as many from the stream of each key; at most a block of each."""
        keys, taken = self._keys[self._at], self._taken[self._at].copy()
        width = n // max(1, len(keys))
        if width * len(keys) != n or width > BLOCK:
            raise ValueError(f"{n} bytes cannot be taken from {len(keys)} streams")
        self._taken[self._at] += 1
        blocks = _encrypted(self._cipher, keys, taken)
        given: bytes = blocks.view(np.uint8).reshape(-1, BLOCK)[:, :width].tobytes()
        return given

    def only(self, index: Any) -> KeyStreams:
        """The streams of some of the keys."""
        at = self._at
        if not isinstance(at, slice):
            at = at[index]
        else:
            at = index if at == slice(None) else np.arange(*at.indices(len(self._keys)))[index]
        return KeyStreams(self._cipher, self._keys, self._taken, at)

    def __repr__(self) -> str:
        return f"KeyStreams({len(self._keys)} keys)"


def _encrypted(cipher: Any, first: Any, second: Any) -> Any:
    """One block for each pair of numbers."""
    plain = np.empty((len(first), 2), np.uint64)
    plain[:, 0], plain[:, 1] = first, second
    done = cipher.encryptor().update(plain.tobytes())
    return np.frombuffer(done, np.uint64).reshape(-1, 2).copy()


def for_keys(randomness: Randomness, step: str, numbers: Ints) -> Randomness:
    """The randomness for one draw per key: a separate stream for each key if the randomness is keyed, else
    the randomness itself.
    """
    return randomness.streams(step, numbers) if isinstance(randomness, KeyedRandomness) else randomness


def tags_of(randomness: Randomness, step: str, users: Ints, numbers: Any, place: Ints | None = None) -> Any:
    """64 random bits for each number that a user holds."""
    if isinstance(randomness, KeyedRandomness):
        return randomness.tags(step, users, numbers, place)
    return np.frombuffer(randomness.bytes(8 * len(users)), np.uint64)


def only(randomness: Randomness, index: Any) -> Randomness:
    """The randomness for drawing again for the keys at these positions."""
    return randomness.only(index) if isinstance(randomness, KeyStreams) else randomness


def within(randomness: Randomness, part: str, names: Ints | None = None) -> Randomness:
    """The randomness of one part of a release, whose numbers stand for these keys."""
    return randomness.within(part, names) if isinstance(randomness, KeyedRandomness) else randomness
