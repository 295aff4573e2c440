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


def distinct_cells(code: Ints, cells: int) -> tuple[Ints, Any]:
    """The different codes (0 to cells − 1; negative ones are none) in rising order, and the number of each
    code among them, −1 for none.
    """
    if cells > MOST:
        key, numbers = distinct_keys(code)
        none = int(len(key) > 0 and key[0] < 0)
        return key[none:], numbers - none
    bits = np.zeros(cells // 64 + 1, np.uint64)
    before = _mark(code, bits)
    return _listed(bits, before), _numbers(code, bits, before)


@njit(cache=True)
def _ones(word: Any) -> int:
    """How many bits are set."""
    count = 0
    while word:
        word &= word - ONE
        count += 1
    return count


@njit(cache=True)
def _mark(code: Any, bits: Any) -> Any:
    """Set the bit of each code; how many are set before each word of bits."""
    for cell in code:
        if cell >= 0:
            bits[cell >> 6] |= ONE << np.uint64(cell & 63)
    before = np.zeros(len(bits) + 1, np.int32)
    for at in range(len(bits)):
        before[at + 1] = before[at] + _ones(bits[at])
    return before


@njit(cache=True)
def _listed(bits: Any, before: Any) -> Any:
    key = np.empty(before[-1], np.int64)
    n = 0
    for at in range(len(bits)):
        if bits[at]:
            for bit in range(64):
                if bits[at] >> np.uint64(bit) & ONE:
                    key[n] = at * 64 + bit
                    n += 1
    return key


@njit(cache=True)
def _numbers(code: Any, bits: Any, before: Any) -> Any:
    numbers = np.full(len(code), -1, np.int32)
    for place in range(len(code)):
        cell = code[place]
        if cell >= 0:
            below = bits[cell >> 6] & ((ONE << np.uint64(cell & 63)) - ONE)
            numbers[place] = before[cell >> 6] + _ones(below)
    return numbers
