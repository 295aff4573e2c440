"""The operator of §5.5.1.3: each user gives her categories nearest to the cluster's centroid category, and
each is replaced by a random query of the whole log with that category.

Where the paper is open: ties of the centroid category go to the lowest number; a user's last category gives
as many of its repetitions as her quota still takes; a query that belongs to the category alone is preferred
to one of several noun phrases; a row has the time of the user's row that the category comes from, and rank
and site of the query's own row. The paper sorts by w·δ(z, c) (eq. 5.15), which pushes a user's most frequent
categories back; `weighted` False sorts by δ alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.mapping import Mapping
from crowdlog.artifacts.knowledge.tree import Tree
from crowdlog.clusters.distances.semantic_kernels import delta_table
from crowdlog.clusters.profiles import Profiles
from crowdlog.clusters.representatives.base import Draws, Representatives, as_representatives, quotas
from crowdlog.clusters.user_rows import UserRows
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Ints

_UNIT = 1 << 16


class CategoryRows:
    """The rows of a log by category: all rows that may stand for it, and each user's own."""

    def __init__(self, rows: UserRows, mapping: Mapping, allowed: NDArray[np.bool_]) -> None:
        self.rows, self._start, self._category = rows, mapping.start, mapping.category
        number = np.diff(mapping.start)[rows.query]
        self._row = np.repeat(np.arange(len(rows.query)), number)
        place = np.repeat(mapping.start[rows.query] - np.cumsum(number) + number, number)
        self._of = mapping.category[place + np.arange(len(place))]
        shown = allowed[rows.query[self._row]]
        alone = number[self._row] == 1
        self._whole = _Lists(self._of[shown], self._row[shown])
        self._alone = _Lists(self._of[shown & alone], self._row[shown & alone])

    def suitable(self, category: int) -> Ints:
        """The rows that may replace a category."""
        alone = self._alone.of(category)
        return alone if len(alone) else self._whole.of(category)

    def own(self, user: int) -> tuple[Any, Any]:
        """Category and time of each of a user's noun phrases, in the order of time."""
        first, last = np.searchsorted(self._row, self.rows.start[user : user + 2])
        return self._of[first:last], self.rows.time[self._row[first:last]]


class _Lists:
    def __init__(self, key: Any, value: Ints) -> None:
        order = np.argsort(key, kind="stable")
        self._key, self._value = key[order], value[order]

    def of(self, key: int) -> Ints:
        first, last = np.searchsorted(self._key, [key, key + 1])
        return self._value[first:last]


def replace_categories(
    found: CategoryRows,
    profiles: Profiles,
    members: list[Ints],
    tree: Tree,
    randomness: Randomness,
    *,
    weighted: bool = True,
) -> Representatives:
    """The representative of each cluster."""
    draws = Draws(randomness)
    delta = delta_table(int(tree.depth.max(initial=1)), _UNIT)
    rows: list[tuple[int, int, int, int, int]] = []
    for cluster, users in enumerate(members):
        part = profiles.part(users)
        if not len(part.item):
            continue
        centre = int(centroid_category(part.item, part.weight, tree.parent, tree.depth, delta))
        apart = to_category(centre, part.item, tree.parent, tree.depth, delta).astype(np.int64)
        key = apart * part.weight if weighted else apart
        for i, quota in enumerate(quotas(part.total).tolist()):
            mine = slice(int(part.start[i]), int(part.start[i + 1]))
            chosen = part.item[mine][np.lexsort((part.item[mine], key[mine]))]
            rows += [(cluster, *row) for row in _of_user(found, int(users[i]), chosen, quota, draws)]
    return as_representatives(rows)


def _of_user(
    found: CategoryRows, user: int, chosen: Any, quota: int, draws: Draws
) -> list[tuple[int, int, int, int]]:
    """`quota` rows for her categories in this order; fewer where no query of a category may be shown."""
    category, time = found.own(user)
    rows = found.rows
    given: list[tuple[int, int, int, int]] = []
    for each in chosen.tolist():
        if len(given) >= quota:
            break
        suitable = found.suitable(each)
        for when in time[category == each][: quota - len(given)].tolist() if len(suitable) else []:
            row = int(suitable[draws.below(len(suitable))])
            given.append((int(rows.query[row]), when, int(rows.rank[row]), int(rows.site[row])))
    return given


@njit(cache=True, nogil=True)
def _delta(one: int, other: int, parent: Any, depth: Any, delta: Any) -> Any:
    a, b = one, other
    while a != b:
        if b < 0 or (a >= 0 and depth[a] >= depth[b]):
            a = parent[a]
        else:
            b = parent[b]
    shared = depth[a] if a >= 0 else 0
    return delta[shared, depth[one], depth[other]]


@njit(cache=True, nogil=True)
def to_category(centre: int, items: Any, parent: Any, depth: Any, delta: Any) -> Any:
    """δ from one category to each of others."""
    found = np.empty(len(items), np.int32)
    for i in range(len(items)):
        found[i] = _delta(centre, items[i], parent, depth, delta)
    return found


@njit(cache=True, nogil=True)
def centroid_category(items: Any, weight: Any, parent: Any, depth: Any, delta: Any) -> Any:
    """The category with the least Σ w·δ to all of the cluster; of several the one of the lowest number."""
    best, found = -1, -1
    for i in range(len(items)):
        total = 0
        for j in range(len(items)):
            total += weight[j] * _delta(items[i], items[j], parent, depth, delta)
        if found < 0 or total < best or (total == best and items[i] < found):
            best, found = total, items[i]
    return found
