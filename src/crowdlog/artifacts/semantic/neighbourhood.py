"""The paper's approximate mode: grow the neighbourhood of one vector and peel that alone.

The degrees found are lower bounds.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from crowdlog.artifacts.semantic.affinity import build_index, key_lengths, neighbours_of
from crowdlog.artifacts.semantic.core import UserSets, core_degrees
from crowdlog.artifacts.semantic.graph import Graph
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import Ints, Longs, Vectors, take_rows

_MARGIN = 1 + 1e-9  # the mass filter is loosened by this; what passes is decided exactly


class Finder:
    """Finds the affine vectors of single vectors, without the graph of all."""

    def __init__(self, vectors: Vectors, theta: Theta) -> None:
        self._vectors, self._theta = vectors, theta
        square = float(theta) ** 2
        self._index = build_index(vectors, square)
        self._keys = key_lengths(vectors.start, vectors.item, vectors.mass, vectors.total, square)
        self._root = np.sqrt(vectors.total.astype(np.float64))

    def neighbours(self, v: int) -> Ints:
        """The vectors affine to v, without v."""
        a, i, theta = self._vectors, self._index, self._theta
        bound = float(theta) ** 2 / _MARGIN
        low, high = np.searchsorted(a.total, [bound * a.total[v], a.total[v] / bound])
        items = a.item[a.start[v] : a.start[v] + self._keys[v]]
        out = np.empty(int((i.start[items + 1] - i.start[items]).sum()), np.int32)
        n = neighbours_of(
            v, low, high, self._keys[v], float(theta), theta.num, theta.den,
            a.start, a.item, a.mass, a.total, self._root,
            i.start, i.vector, i.place, i.rest, out, 0,
        )  # fmt: skip
        return out[:n].copy()

    def around(self, v: int, limit: int) -> tuple[Longs, Graph]:
        """Grow from v, nearest first, to at most `limit` vectors; return them (v first) and the graph among
        them.
        """
        found, lists = {v: 0}, []
        queue = [v]
        for w in queue:  # grows while it is read
            near = self.neighbours(w)
            lists.append(near)
            for u in near.tolist():
                if u not in found and len(found) < limit:
                    found[u] = len(found)
                    queue.append(u)
        inside = [np.array([found[u] for u in near.tolist() if u in found], np.int32) for near in lists]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(near) for near in inside])])
        return np.array(queue, np.int64), Graph(start, np.concatenate(inside))


def local_degrees(finder: Finder, sets: UserSets, v: int, limit: int) -> tuple[Longs, Ints]:
    """The vectors around v and their core degrees in that neighbourhood: exact if it has fewer than `limit`
    vectors.
    """
    members, graph = finder.around(v, limit)
    start, user = take_rows(sets.start, sets.user, members)
    return members, core_degrees(graph, UserSets(start, user, sets.users))


def lower_bounds(finder: Finder, sets: UserSets, sample: Iterable[int], limit: int) -> Ints:
    """A lower bound of every vector's core degree from the neighbourhoods of a sample; who is in none has its
    own users.

    The best over all neighbourhoods: for every k the vectors with a bound of at least k are a union of sets
    in which all degrees are at least k, so releasing them is as safe as in the exact mode.
    """
    best = np.diff(sets.start).astype(np.int32)
    for v in sample:
        members, degrees = local_degrees(finder, sets, v, limit)
        np.maximum.at(best, members, degrees)
    return best
