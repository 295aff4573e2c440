"""The arithmetic of the semantic distance (Erola 2013, eq. 5.10–5.13) on whole numbers.

In a tree δ(c, c') = 1 − l/(d + d' − l), where d and d' are the depths and l that of their deepest common
ancestor. Any other common ancestor gives a larger value, so the least δ of c to a set of categories is a
minimum over the ancestors a of c: of the set only the least depth below a matters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Table = NDArray[np.int32]
NONE = 127  # no category of the user lies below
LANES = 8  # users whose sums are made together: their values of a category lie side by side


def delta_table(deepest: int, unit: int) -> Table:
    """δ in parts of `unit`, rounded to the nearest: by l, d and d'."""
    side = np.arange(deepest + 1)
    shared, one, other = np.meshgrid(side, side, side, indexing="ij")
    union = np.maximum(one + other - shared, 1)
    shared = np.minimum(shared, union)
    found: Table = ((2 * unit * (union - shared) + union) // (2 * union)).astype(np.int32)
    return found


@njit(cache=True, nogil=True)
def mark(begin: int, end: int, item: Any, parent: Any, depth: Any, least: Any, touched: Any) -> int:
    """Note for every ancestor of a user's categories the least depth below it; returns how many there are."""
    n = 0
    for i in range(begin, end):
        node = item[i]
        deep = depth[node]
        while node >= 0:
            if least[node] == NONE:
                touched[n] = node
                n += 1
                least[node] = deep
            elif least[node] > deep:
                least[node] = deep
            node = parent[node]
    return n


@njit(cache=True, nogil=True)
def values_to(
    begin: int,
    end: int,
    item: Any,
    parent: Any,
    depth: Any,
    delta: Table,
    least: Any,
    touched: Any,
    slot: Any,
    best: Any,
    value: Any,
) -> None:
    """The least δ from every node of the tree to one user's categories, into `value`.

    Nodes are numbered from the roots down. A node outside the user's ancestors has that of the deepest
    ancestor inside, at its own depth. `slot` is −1 everywhere before and after.
    """
    unit = delta[0, 1, 1]
    deepest = delta.shape[0] - 1
    n = mark(begin, end, item, parent, depth, least, touched)
    touched[:n].sort()
    for i in range(n):
        node = touched[i]
        up = slot[parent[node]] if parent[node] >= 0 else -1
        for deep in range(depth[node], deepest + 1):
            here = delta[depth[node], deep, least[node]]
            best[i, deep] = min(here, best[up, deep]) if up >= 0 else here
        slot[node] = i
    for node in range(len(parent)):
        if slot[node] < 0 and parent[node] >= 0:
            slot[node] = slot[parent[node]]
        value[node] = best[slot[node], depth[node]] if slot[node] >= 0 else unit
    for i in range(n):
        least[touched[i]] = NONE
    slot[:] = -1


@njit(cache=True, nogil=True)
def sums_to(
    first: int, last: int, start: Any, item: Any, weight: Any, parent: Any, depth: Any, delta: Table, out: Any
) -> None:
    """out[u − first, v] = Σ w·min δ of v's categories to those of user u, for u in `first` … `last` − 1."""
    nodes = len(parent)
    least = np.full(nodes, NONE, np.int8)
    touched = np.empty(nodes, np.int32)
    slot = np.full(nodes, -1, np.int32)
    best = np.empty((nodes, delta.shape[0]), np.int32)
    value = np.zeros((nodes, LANES), np.int32)
    total = np.empty(LANES, np.int32)
    for some in range(first, last, LANES):
        lanes = min(LANES, last - some)
        for lane in range(lanes):
            u = some + lane
            own = value[:, lane]
            values_to(start[u], start[u + 1], item, parent, depth, delta, least, touched, slot, best, own)
        for v in range(len(start) - 1):
            total[:] = 0
            for i in range(start[v], start[v + 1]):
                times, node = np.int32(weight[i]), item[i]
                for lane in range(LANES):  # in 32 bits throughout, so that the lanes are one instruction
                    total[lane] = np.int32(total[lane] + np.int32(times * value[node, lane]))
            for lane in range(lanes):
                out[some - first + lane, v] = total[lane]


@njit(cache=True, nogil=True)
def combine(sums: Any, total: Any, scale: int) -> None:
    """Turn sums in one direction into distances, in place: (both directions)·scale / (both weights)."""
    for u in range(len(total)):
        sums[u, u] = 0
        for v in range(u):
            weights = total[u] + total[v]
            both = np.int64(sums[u, v]) + np.int64(sums[v, u])
            distance = both * scale // weights if weights > 0 else 0
            sums[u, v] = distance
            sums[v, u] = distance


@njit(cache=True, nogil=True)
def row_between(
    u: int,
    others: Any,
    start: Any,
    item: Any,
    weight: Any,
    total: Any,
    parent: Any,
    depth: Any,
    delta: Table,
    scale: int,
    value: Any,
    out: Any,
) -> None:
    """Distances from one user to others, one by one; `value` is what `values_to` found for her."""
    nodes = len(parent)
    least = np.full(nodes, NONE, np.int8)
    touched = np.empty(nodes, np.int32)
    for j in range(len(others)):
        v = others[j]
        both = 0
        for i in range(start[v], start[v + 1]):
            both += weight[i] * value[item[i]]
        n = mark(start[v], start[v + 1], item, parent, depth, least, touched)
        for i in range(start[u], start[u + 1]):
            node = item[i]
            deep = depth[node]
            nearest = delta[0, 1, 1]
            while node >= 0:
                if least[node] != NONE:
                    nearest = min(nearest, delta[depth[node], deep, least[node]])
                node = parent[node]
            both += weight[i] * nearest
        for i in range(n):
            least[touched[i]] = NONE
        weights = total[u] + total[v]
        out[j] = both * scale // weights if weights > 0 and v != u else 0
