"""Semantic distance between users (Erola 2013, §5.5.1.2, eq. 5.13); with a flat tree, equality of items.

Who maps to nothing is at distance UNIT of everybody who maps to something, and at 0 of others like her.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.tree import Tree
from crowdlog.clusters.distances.base import UNIT, Distance, Matrix, in_threads
from crowdlog.clusters.distances.semantic_kernels import (
    NONE,
    combine,
    delta_table,
    row_between,
    sums_to,
    values_to,
)
from crowdlog.clusters.profiles import Profiles
from crowdlog.errors import InputError
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints

_BITS = 16  # of δ, where a user's categories are not so many that sums of 31 bits would overflow


class SemanticDistance(Distance):
    """Users by their categories in a tree."""

    def __init__(self, profiles: Profiles, parent: NDArray[np.int32], depth: NDArray[np.int32]) -> None:
        self.profiles, self.users = profiles, len(profiles)
        self.nodes, item = _used(profiles.item, parent)
        self.items = item
        number = np.full(len(parent) + 1, -1, np.int32)
        number[self.nodes] = np.arange(len(self.nodes), dtype=np.int32)
        self._parent = number[parent[self.nodes]]
        self._depth = depth[self.nodes].astype(np.int32)
        deepest = int(self._depth.max(initial=1))
        if deepest >= NONE:
            raise InputError(
                f"The tree of categories is {deepest} levels deep; at most {NONE - 1} can be used."
            )
        self.total = profiles.total
        heaviest = int(self.total.max(initial=1))
        bits = min(_BITS, 30 - heaviest.bit_length())
        if bits < 4:
            raise InputError(f"A user has {heaviest:,} categories, too many to be compared exactly.")
        self.scale = UNIT >> bits
        self._delta = delta_table(deepest, 1 << bits)
        self._parent_depth = (parent, depth)

    @property
    def tree(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Parent and depth of the nodes that are used, and δ by depths."""
        return self._parent, self._depth, self._delta

    def items_of(self, users: Ints) -> NDArray[np.int32]:
        """The categories of these users in the numbering of `tree`, one user after the other."""
        whole = Profiles(self.profiles.start, self.items, self.profiles.weight)
        return whole.part(users).item

    def large_space(self) -> Any:
        from crowdlog.clusters.distances.semantic_space import SemanticSpace

        return SemanticSpace(self)

    def part(self, users: Ints) -> SemanticDistance:
        return SemanticDistance(self.profiles.part(users), *self._parent_depth)

    def row(self, user: int, others: Ints) -> Ints:
        out = np.empty(len(others), np.int64)
        arrays = (self.profiles.start, self.items, self.profiles.weight, self.total)
        tree = (self._parent, self._depth, self._delta)
        row_between(user, others, *arrays, *tree, self.scale, self.values(user), out)
        return out

    def values(self, user: int) -> NDArray[np.int32]:
        """The least δ from each category of the log to those of one user."""
        nodes = len(self._parent)
        value = np.empty(nodes, np.int32)
        begin, end = self.profiles.start[user : user + 2]
        space = (np.full(nodes, NONE, np.int8), np.empty(nodes, np.int32), np.full(nodes, -1, np.int32))
        best = np.empty((nodes, len(self._delta)), np.int32)
        values_to(begin, end, self.items, self._parent, self._depth, self._delta, *space, best, value)
        return value

    def matrix(self, threads: int = 1, advance: Advance = unseen) -> Matrix:
        found: Matrix = np.empty((self.users, self.users), np.int32)
        arrays = (
            self.profiles.start,
            self.items,
            self.profiles.weight,
            self._parent,
            self._depth,
            self._delta,
        )

        def fill(first: int, last: int) -> None:
            sums_to(first, last, *arrays, found[first:last])

        in_threads(self.users, threads, fill, advance)
        combine(found, self.total, self.scale)
        return found


def _used(item: NDArray[np.int32], parent: NDArray[np.int32]) -> tuple[Ints, NDArray[np.int32]]:
    """The nodes that are a category of somebody or above one, ascending, and the items in this numbering."""
    used = np.zeros(len(parent) + 1, bool)
    level = np.unique(item)
    while len(level):
        used[level] = True
        level = np.unique(parent[level])
        level = level[level >= 0]
        level = level[~used[level]]
    nodes = np.flatnonzero(used[:-1])
    return nodes, np.searchsorted(nodes, item).astype(np.int32)


def semantic(profiles: Profiles, tree: Tree) -> SemanticDistance:
    """Users by categories of a tree."""
    return SemanticDistance(profiles, tree.parent, tree.depth)


def equality(profiles: Profiles) -> SemanticDistance:
    """Items are equal or not: δ is 0 or 1, as in a tree of roots only (the "no semantics" of §5.5.2.2)."""
    items = int(profiles.item.max(initial=-1)) + 1
    return SemanticDistance(profiles, np.full(items, -1, np.int32), np.ones(items, np.int32))
