"""Levenshtein distance of two texts, 64 cells of the table at a time (Myers 1999; Hyyrö 2003)."""

from __future__ import annotations

import numpy as np
from numba import njit

_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def distance(points, a, a_end, b, b_end):  # type: ignore[no-untyped-def]
    """The least number of inserted, deleted and replaced characters from points[a:a_end] to points[b:b_end].

    What both texts begin and end with is left out: it never costs anything.
    """
    while a < a_end and b < b_end and points[a] == points[b]:
        a += 1
        b += 1
    while a < a_end and b < b_end and points[a_end - 1] == points[b_end - 1]:
        a_end -= 1
        b_end -= 1
    if a_end - a > b_end - b:
        a, a_end, b, b_end = b, b_end, a, a_end
    if a == a_end:
        return b_end - b
    return _short(points, a, a_end, b, b_end) if a_end - a <= 64 else _long(points, a, a_end, b, b_end)


@njit(cache=True, nogil=True)
def _short(points, a, a_end, b, b_end):  # type: ignore[no-untyped-def]
    """The shorter text has at most 64 characters: its column of the table is two machine words."""
    size = a_end - a
    ascii_masks = np.zeros(128, np.uint64)
    for i in range(size):
        if points[a + i] < 128:
            ascii_masks[points[a + i]] |= _ONE << np.uint64(i)
    up, down = ~np.uint64(0), np.uint64(0)
    last = _ONE << np.uint64(size - 1)
    found = size
    for j in range(b, b_end):
        character = points[j]
        equal = np.uint64(0)
        if character < 128:
            equal = ascii_masks[character]
        else:
            for i in range(size):
                if points[a + i] == character:
                    equal |= _ONE << np.uint64(i)
        vertical = equal | down
        diagonal = (((equal & up) + up) ^ up) | equal
        plus, minus = down | ~(diagonal | up), up & diagonal
        if plus & last:
            found += 1
        elif minus & last:
            found -= 1
        plus = (plus << _ONE) | _ONE
        minus = minus << _ONE
        up, down = minus | ~(vertical | plus), plus & vertical
    return found


@njit(cache=True, nogil=True)
def _long(points, a, a_end, b, b_end):  # type: ignore[no-untyped-def]
    """Row by row."""
    row = np.arange(a_end - a + 1)
    for j in range(b, b_end):
        diagonal = row[0]
        row[0] += 1
        for i in range(a_end - a):
            replaced = diagonal + (points[a + i] != points[j])
            diagonal = row[i + 1]
            row[i + 1] = min(replaced, row[i] + 1, diagonal + 1)
    return row[a_end - a]
