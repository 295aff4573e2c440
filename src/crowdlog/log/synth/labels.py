"""Which queries were already labelled: a set of 64-bit hashes, so that memory stays at 16 bytes per distinct
query.
"""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import U8, U64
from crowdlog.log.synth.kernel import entry, kernel
from crowdlog.log.synth.rng import scramble

_ONE = np.uint64(1)
_BASE, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a's constants


@kernel
def hash_bytes(text: U8, length: int) -> np.uint64:
    """64 bits of a text, never 0 (0 marks an empty place)."""
    h = _BASE
    for i in range(length):
        h = (h ^ np.uint64(text[i])) * _PRIME
    return scramble(h) | _ONE


@kernel
def add(seen: U64, h: np.uint64) -> bool:
    """Add a hash; True if it was not there. The table's size is a power of two and it is never full."""
    mask = np.uint64(len(seen) - 1)
    place = (h >> _ONE) & mask
    while seen[place] != 0:
        if seen[place] == h:
            return False
        place = (place + _ONE) & mask
    seen[place] = h
    return True


@entry
def grown(seen: U64) -> U64:
    """The same set with twice the room."""
    bigger = np.zeros(2 * len(seen), np.uint64)
    for h in seen:
        if h != 0:
            add(bigger, h)
    return bigger
