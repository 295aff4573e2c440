"""Which cells of a grid occur, in rising order, and the number of each: `np.unique` without sorting, where
the cells are few enough for one bit each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.packed_keys import distinct_keys
from crowdlog.types import Ints

MOST = 1 << 31  # cells: 256 MB of bits, and half as much for numbers
ONE = np.uint64(1)
PAIRS, FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
EIGHTS, EACH = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


def distinct_cells(code: Ints, cells: int) -> tuple[Ints, Any]:
    """The different codes (0 to cells − 1; negative ones are none) in rising order, and the number of each
    code among them, −1 for none.
    """
    if cells > MOST:
        key, numbers = distinct_keys(code)
        none = int(len(key) > 0 and key[0] < 0)
        return key[none:], numbers - none
    # Made here, not in the compiled loops: numpy asks for large pages.
    bits, before = np.zeros(cells // 64 + 1, np.uint64), np.zeros(cells // 64 + 2, np.int32)
    _mark(code, bits, before)
    key, numbers = np.empty(before[-1], np.int64), np.empty(len(code), np.int32)
    _list(bits, key)
    _number(code, bits, before, numbers)
    return key, numbers


@njit(cache=True)
def _ones(word: Any) -> Any:
    """How many bits are set: sums of pairs of bits, of fours, of eights; then all eights at once."""
    word -= word >> ONE & PAIRS
    word = (word & FOURS) + (word >> np.uint64(2) & FOURS)
    word = word + (word >> np.uint64(4)) & EIGHTS
    return np.int64(word * EACH >> np.uint64(56))


@njit(cache=True)
def _mark(code: Any, bits: Any, before: Any) -> None:
    """Set the bit of each code, and tell how many are set before each word of bits."""
    for cell in code:
        if cell >= 0:
            bits[cell >> 6] |= ONE << np.uint64(cell & 63)
    for at in range(len(bits)):
        before[at + 1] = before[at] + _ones(bits[at])


@njit(cache=True)
def _list(bits: Any, key: Any) -> None:
    n = 0
    for at in range(len(bits)):
        if bits[at]:
            for bit in range(64):
                if bits[at] >> np.uint64(bit) & ONE:
                    key[n] = at * 64 + bit
                    n += 1


@njit(cache=True)
def _number(code: Any, bits: Any, before: Any, numbers: Any) -> None:
    for place in range(len(code)):
        cell = code[place]
        if cell >= 0:
            below = bits[cell >> 6] & ((ONE << np.uint64(cell & 63)) - ONE)
            numbers[place] = before[cell >> 6] + _ones(below)
        else:
            numbers[place] = -1
