"""The operator of §5.5.1.3: each user gives her categories nearest to the cluster's centroid category, and
each is replaced by a random query of the whole log with that category.

Where the paper is open: ties of the centroid category go to the lowest number; a user's last category gives
as many of its repetitions as her quota still takes; a query that belongs to the category alone is preferred
to one of several noun phrases; a row has the time of the user's row that the category comes from, and rank
and site of the query's own row. The paper sorts by w·δ(z, c) (eq. 5.15), which pushes a user's most frequent
categories back; `weighted` False sorts by δ alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.mapping import Mapping
from crowdlog.artifacts.knowledge.tree import Tree
from crowdlog.clusters.distances.semantic_kernels import delta_table
from crowdlog.clusters.profiles import Profiles
from crowdlog.clusters.representatives.base import Draws, Representatives, Row, make_representatives, quotas
from crowdlog.clusters.user_rows import UserRows
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Ints

_UNIT = 1 << 16


class CategoryRows:
    """The rows of a log by category: all rows that may stand for it, and each user's own."""

    def __init__(self, rows: UserRows, mapping: Mapping, allowed: NDArray[np.bool_]) -> None:
        self.rows, self._mapping = rows, mapping
        keys = int(mapping.category.max(initial=-1)) + 1
        known = rows.query, mapping.start, mapping.category, allowed
        shares = _occurrences(*known, keys)
        alone = shares[0] > 0
        self._start = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(alone, *shares))])
        self._row = _fill(*known, alone, self._start)

    def suitable(self, category: int) -> NDArray[Any]:
        """The rows that may replace a category: of queries that mean it alone, if there are any."""
        found: NDArray[Any] = self._row[self._start[category] : self._start[category + 1]]
        return found

    def own(self, user: int) -> tuple[Any, Any]:
        """Category and time of each of a user's noun phrases, in the order of time."""
        mine = slice(int(self.rows.start[user]), int(self.rows.start[user + 1]))
        begin, end = (self._mapping.start[self.rows.query[mine] + i] for i in (0, 1))
        number = end - begin
        place = np.repeat(begin - np.cumsum(number) + number, number) + np.arange(number.sum())
        return self._mapping.category[place], np.repeat(self.rows.time[mine], number)


@njit(cache=True, nogil=True)
def _occurrences(query: Any, start: Any, category: Any, allowed: Any, keys: int) -> Any:
    """How many rows mean each category alone, and how often it occurs in any row; rows that may be shown."""
    found = np.zeros((2, keys), np.int64)
    for row in range(len(query)):
        q = query[row]
        if allowed[q]:
            for i in range(start[q], start[q + 1]):
                found[0, category[i]] += start[q + 1] - start[q] == 1
                found[1, category[i]] += 1
    return found


@njit(cache=True, nogil=True)
def _fill(query: Any, start: Any, category: Any, allowed: Any, alone: Any, first: Any) -> Any:
    """The rows of each category, in the order of rows."""
    found, at = np.empty(first[-1], np.int32), first[:-1].copy()
    for row in range(len(query)):
        q = query[row]
        if allowed[q]:
            for i in range(start[q], start[q + 1]):
                if start[q + 1] - start[q] == 1 or not alone[category[i]]:
                    found[at[category[i]]] = row
                    at[category[i]] += 1
    return found


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

    def of_cluster(users: Ints) -> Iterator[Row]:
        part = profiles.part(users)
        if not len(part.item):
            return
        items, place = np.unique(part.item, return_inverse=True)
        weight = np.bincount(place, part.weight).astype(np.int64)
        centre = int(centroid_category(items, weight, tree.parent, tree.depth, delta))
        apart = to_category(centre, part.item, tree.parent, tree.depth, delta).astype(np.int64)
        key = apart * part.weight if weighted else apart
        for i, quota in enumerate(quotas(part.total).tolist()):
            mine = slice(int(part.start[i]), int(part.start[i + 1]))
            chosen = part.item[mine][np.lexsort((part.item[mine], key[mine]))]
            yield from _of_user(found, int(users[i]), chosen, quota, draws)

    return make_representatives(members, of_cluster)


def _of_user(found: CategoryRows, user: int, chosen: Any, quota: int, draws: Draws) -> list[Row]:
    """`quota` rows for her categories in this order; fewer where no query of a category may be shown."""
    category, time = found.own(user)
    rows = found.rows
    given: list[Row] = []
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
