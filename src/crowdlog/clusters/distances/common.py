"""Users by what they have in common: Σ min of their counts (Erola 2013, Algorithm 3).

As a similarity it is what Algorithm 4 joins users by; as a distance it is 1 − 2·common/(both totals), the
Bray–Curtis form, so that MDAV can use it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.knowledge.tree import Tree
from crowdlog.clusters.distances.base import UNIT, Distance, Matrix, in_threads
from crowdlog.clusters.greedy import greedy
from crowdlog.clusters.profiles import Profiles, profiles_of
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints


class CommonDistance(Distance):
    """The more occurrences two users share, the nearer they are."""

    def __init__(self, profiles: Profiles) -> None:
        self.profiles, self.users = profiles, len(profiles)
        self._items = int(profiles.item.max(initial=-1)) + 1
        self._total = profiles.total

    def part(self, users: Ints) -> CommonDistance:
        return CommonDistance(self.profiles.part(users))

    def common(self, user: int, others: Ints) -> Ints:
        """How many occurrences a user shares with each of the others."""
        p = self.profiles
        out = np.empty(len(others), np.int64)
        _common(user, others, p.start, p.item, p.weight, np.zeros(self._items, np.int32), out)
        return out

    def row(self, user: int, others: Ints) -> Ints:
        both = self._total[user] + self._total[others]
        shared = 2 * self.common(user, others)
        apart: Ints = np.where(both > 0, UNIT - UNIT * shared // np.maximum(both, 1), 0)
        apart[others == user] = 0
        return apart

    def similarity(self, threads: int = 1, advance: Advance = unseen) -> Matrix:
        """The incidence matrix of Algorithm 3. Its diagonal is −1: nobody is joined with herself."""
        everybody = np.arange(self.users)
        found: Matrix = np.empty((self.users, self.users), np.int32)

        def fill(first: int, last: int) -> None:
            for user in range(first, last):
                found[user] = self.common(user, everybody)
                found[user, user] = -1

        in_threads(self.users, threads, fill, advance)
        return found


@njit(cache=True, nogil=True)
def _common(user: int, others: Any, start: Any, item: Any, weight: Any, mine: Any, out: Any) -> None:
    for i in range(start[user], start[user + 1]):
        mine[item[i]] = weight[i]
    for j in range(len(others)):
        total = 0
        for i in range(start[others[j]], start[others[j] + 1]):
            total += min(weight[i], mine[item[i]])
        out[j] = total


def odp_profiles(categories: Profiles, tree: Tree, levels: int) -> Profiles:
    """The matrices of Algorithm 2 side by side: a category counts at every level from the root to itself.

    A node lies on one level, so the number of a node tells its level.
    """
    owner = np.repeat(np.arange(len(categories)), np.diff(categories.start))
    parts = []
    for level in range(1, levels + 1):
        node = tree.at_level(level)[categories.item]
        there = node >= 0
        times = categories.weight[there]
        parts.append((np.repeat(owner[there], times), np.repeat(node[there], times)))
    user, item = (np.concatenate(column) for column in zip(*parts, strict=True))
    return profiles_of(user, item.astype(np.int64), len(categories))


def odp(categories: Profiles, tree: Tree, levels: int) -> CommonDistance:
    """Users by the categories they share, level by level (eq. 5.5 as Algorithm 3 computes it)."""
    return CommonDistance(odp_profiles(categories, tree, levels))


def similar(distance: Any, k: int, advance: Advance) -> Ints:
    """Clusters of users by Algorithms 3 to 5: a method of `partition`."""
    return greedy(distance.similarity(2, advance), k, advance)
