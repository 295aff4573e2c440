"""Which of many keys are among a few known ones. A compiled loop: there are tens of millions of keys, and
numpy would make several arrays of their size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.types import Bools, Ints


def known_keys(known: Ints, keys: Ints) -> tuple[Bools, Bools]:
    """Of each key whether it is known; of each known one, which lie in rising order, whether a key is it."""
    is_known, met = np.zeros(len(keys), bool), np.zeros(len(known), bool)
    _meet(known, keys, is_known, met)
    return is_known, met


def taken_keys(known: Ints, keys: Ints, kind: Any) -> Bools:
    """Of each known key whether it is one of the keys whose kind is not negative."""
    met = np.zeros(len(known), bool)
    _meet_some(known, keys, kind, met)
    return met


@njit(cache=True)
def _place(known: Any, key: int) -> int:
    """Where the key stands, −1 if it is not there."""
    first, last = 0, len(known) - 1
    if last < 0 or key < known[0] or key > known[last]:
        return -1
    while first < last:
        middle = (first + last) // 2
        if known[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first if known[first] == key else -1


@njit(cache=True)
def _meet(known: Any, keys: Any, is_known: Any, met: Any) -> None:
    for at in range(len(keys)):
        place = _place(known, keys[at])
        if place >= 0:
            is_known[at] = met[place] = True


@njit(cache=True)
def _meet_some(known: Any, keys: Any, kind: Any, met: Any) -> None:
    if len(known):
        for at in range(len(keys)):
            if kind[at] >= 0:
                place = _place(known, keys[at])
                if place >= 0:
                    met[place] = True
