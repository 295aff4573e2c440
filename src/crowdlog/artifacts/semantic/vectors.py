"""Query vectors as weighted sets of concepts, equal ones collapsed, ordered by mass.

A concept has one weight whatever the query, so the dot product of two queries is the sum of the squared
weights (the *mass*) of the concepts they share, and a query's squared length is the mass of all its concepts.
Masses are integers: sums are exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.errors import InputError

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

# Weights are rounded to 1/4096 once. The largest, log2(36 M + 1) < 26, squares below 2³⁴; 2¹³ concepts (a
# query has fewer) stay below 2⁴⁷.
WEIGHT_UNIT = 4096
_MASS_LIMIT = 2**49


@dataclass(frozen=True, repr=False)
class Vectors:
    """Distinct vectors in ascending order of mass.

    Vector v holds the concepts `item[start[v]:start[v+1]]`, rarest first.
    """

    start: Longs
    item: Ints
    mass: Longs  # squared weight of every concept
    total: Longs  # mass of every vector
    vector_of: Ints  # for each query given, its vector

    def __len__(self) -> int:
        return len(self.total)


@njit(cache=True)
def _sort_items(start: Longs, item: Ints) -> None:
    for v in range(len(start) - 1):
        for i in range(start[v] + 1, start[v + 1]):  # insertion sort: a query has few concepts
            value, j = item[i], i
            while j > start[v] and item[j - 1] > value:
                item[j] = item[j - 1]
                j -= 1
            item[j] = value


@njit(cache=True)
def _totals_and_hashes(start: Longs, item: Ints, mass: Longs) -> tuple[Longs, NDArray[np.uint64]]:
    total = np.zeros(len(start) - 1, np.int64)
    hashes = np.zeros(len(start) - 1, np.uint64)
    for v in range(len(start) - 1):
        # FNV-1a's offset and prime; collisions are told apart by comparison
        h = np.uint64(1469598103934665603)
        for i in range(start[v], start[v + 1]):
            total[v] += mass[item[i]]
            h = (h ^ np.uint64(item[i])) * np.uint64(1099511628211)
            h ^= h >> np.uint64(29)
        hashes[v] = h
    return total, hashes


@njit(cache=True)
def _same(start: Longs, item: Ints, a: int, b: int) -> bool:
    if start[a + 1] - start[a] != start[b + 1] - start[b]:
        return False
    return bool((item[start[a] : start[a + 1]] == item[start[b] : start[b + 1]]).all())


@njit(cache=True)
def _representatives(start: Longs, item: Ints, order: Longs, hashes: NDArray[np.uint64]) -> Longs:
    """For every query the first query of its hash run that has the same vector."""
    first = np.empty(len(order), np.int64)
    begin = 0
    for i in range(len(order)):
        if hashes[order[i]] != hashes[order[begin]]:
            begin = i
        first[order[i]] = order[i]
        for j in range(begin, i):
            if first[order[j]] == order[j] and _same(start, item, order[i], order[j]):
                first[order[i]] = order[j]
                break
    return first


@njit(cache=True)
def take_rows(start: Longs, item: Ints, rows: Longs) -> tuple[Longs, Ints]:
    """The given rows of a list of lists, in the given order."""
    new_start = np.zeros(len(rows) + 1, np.int64)
    for r in range(len(rows)):
        new_start[r + 1] = new_start[r] + start[rows[r] + 1] - start[rows[r]]
    new_item = np.empty(new_start[-1], np.int32)
    for r in range(len(rows)):
        new_item[new_start[r] : new_start[r + 1]] = item[start[rows[r]] : start[rows[r] + 1]]
    return new_start, new_item


def build_vectors(start: Longs, concept: Ints, weight: Longs) -> Vectors:
    """Collapse equal concept sets.

    `weight` is in units of 1/4096, above zero; every query has at least one concept, each once.
    """
    frequency = np.bincount(concept, minlength=len(weight))
    by_rarity = np.argsort(frequency, kind="stable")
    rank = np.empty(len(weight), np.int32)
    rank[by_rarity] = np.arange(len(weight), dtype=np.int32)
    item, mass = rank[concept], weight[by_rarity] ** 2
    _sort_items(start, item)
    total, hashes = _totals_and_hashes(start, item, mass)
    if len(total) and int(total.max()) >= _MASS_LIMIT:
        raise InputError(
            "A query of the log is too long to be compared exactly; "
            "import the log with its usual limit on query length."
        )
    first = _representatives(start, item, np.argsort(hashes, kind="stable"), hashes)
    rows = np.flatnonzero(first == np.arange(len(first)))
    rows = rows[np.argsort(total[rows], kind="stable")]
    number = np.empty(len(first), np.int32)
    number[rows] = np.arange(len(rows), dtype=np.int32)
    new_start, new_item = take_rows(start, item, rows)
    return Vectors(new_start, new_item, mass, total[rows], number[first])
