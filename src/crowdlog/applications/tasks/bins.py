"""Feature values in bins, so that many people share a vector (Feild 2013, §5.2.2; both sides of each bound).

bin2: less than a minute is 0, else 1; every other feature is 0 below .5, else 1.
bin1: less than 30 s, a minute, an hour is 0, .25, .5, else 1; every other feature is 0 below .025, .25 up to
.25, .5 below .75, .75 up to .975, else 1.

There are finitely many vectors, known before any log is seen: the closed domain. A vector is its place there.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numba import njit

from crowdlog.applications.tasks.pair_features import EDIT, SEMANTIC, TRIGRAM, WORD
from crowdlog.types import Floats, Ints

BINS = ("none", "bin1", "bin2")
BINNED = ("seconds", "word_jaccard", "edit", "trigram_jaccard", "semantic")  # Feild 2013, Table 5.1
_TIMES = {"bin1": (0.0, 0.25, 0.5, 1.0), "bin2": (0.0, 1.0)}
_SHARES = {"bin1": (0.0, 0.25, 0.5, 0.75, 1.0), "bin2": (0.0, 1.0)}


@njit(cache=True, nogil=True)
def time_bin(seconds, fine):  # type: ignore[no-untyped-def]
    """The number of the bin of a time between two searches; `fine` means bin1."""
    if not fine:
        return 0 if seconds < 60 else 1
    return 0 if seconds < 30 else 1 if seconds < 60 else 2 if seconds < 3600 else 3


@njit(cache=True, nogil=True)
def share_bin(x, fine):  # type: ignore[no-untyped-def]
    """The number of the bin of a feature from 0 to 1."""
    if not fine:
        return 0 if x < 0.5 else 1
    return 0 if x < 0.025 else 1 if x <= 0.25 else 2 if x < 0.75 else 3 if x <= 0.975 else 4


@njit(cache=True, nogil=True)
def cell(vector, fine):  # type: ignore[no-untyped-def]
    """The place of a feature vector in the closed domain."""
    base = 5 if fine else 2
    place = time_bin(vector[0], fine)
    for number in (WORD, EDIT, TRIGRAM, SEMANTIC):
        place = place * base + share_bin(vector[number], fine)
    return place


@njit(cache=True, nogil=True)
def _cells(vectors, fine):  # type: ignore[no-untyped-def]
    out = np.empty(len(vectors), np.int64)
    for i in range(len(vectors)):
        out[i] = cell(vectors[i], fine)
    return out


def cells(vectors: Floats, bins: str) -> Ints:
    """The place of each feature vector in the closed domain."""
    found: Ints = _cells(vectors, bins == "bin1")
    return found


@cache
def domain(bins: str) -> Floats:
    """Every binned vector that there can be, one per row: time, words, edit, trigrams, semantic."""
    shares = [_SHARES[bins]] * (len(BINNED) - 1)
    return np.array(list(product(_TIMES[bins], *shares)))


def binned(vectors: Floats, bins: str) -> Floats:
    """Feature vectors in their bins."""
    found: Floats = domain(bins)[cells(vectors, bins)]
    return found
