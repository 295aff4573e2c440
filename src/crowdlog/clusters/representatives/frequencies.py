"""The operator of §5.3.1.4: each user gives her share of rows, keeping the frequencies of her query strings.

Where the paper is open: shares are rounded by largest remainder. Within a user the strings stand in a row,
the most frequent first, then by first use, and every (size)th row is taken, so that each string has its
expected number of copies, rounded up or down, and unique strings are taken from all of her history. A copy
stands for a run of her rows with that string: time and rank are their means, the site is what all of the
run's sites end in (none if nothing is common).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crowdlog.clusters.representatives.base import Representatives, Row, make_representatives, quotas
from crowdlog.clusters.user_rows import UserRows
from crowdlog.types import Ints


def keep_frequencies(rows: UserRows, members: list[Ints], allowed: NDArray[np.bool_]) -> Representatives:
    """The representative of each cluster."""
    lengths = rows.lengths

    def of_cluster(users: Ints) -> Iterator[Row]:
        for user, quota in zip(users.tolist(), quotas(lengths[users]).tolist(), strict=True):
            yield from share_of_user(rows, user, quota, allowed)

    return make_representatives(members, of_cluster)


def share_of_user(rows: UserRows, user: int, quota: int, allowed: NDArray[np.bool_]) -> list[Row]:
    """`quota` rows of one user; fewer if she has fewer that may be shown."""
    mine = np.arange(rows.start[user], rows.start[user + 1])
    mine = mine[allowed[rows.query[mine]]]
    quota = min(quota, len(mine))
    if not quota:
        return []
    groups = _by_frequency(rows.query[mine])
    before, found = 0, []
    for group in groups:
        after = before + len(group)
        copies = -(-after * quota // len(mine)) - -(-before * quota // len(mine))
        found += [_mean(rows, mine[run]) for run in _runs(group, copies)]
        before = after
    return found


def _by_frequency(queries: Ints) -> list[Ints]:
    """The places of each string, the most frequent string first, then the one used first."""
    _strings, first, number, count = np.unique(
        queries, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -count))
    places = np.split(np.argsort(number, kind="stable"), np.cumsum(count)[:-1])
    return [places[i] for i in order]


def _runs(group: Ints, copies: int) -> list[Ints]:
    """Split the places of a string into so many runs."""
    bounds = [len(group) * i // copies for i in range(copies + 1)] if copies else []
    return [group[a:b] for a, b in pairwise(bounds)]


def _mean(rows: UserRows, run: Ints) -> Row:
    time = int(rows.time[run].sum()) // len(run)
    clicked = run[rows.site[run] >= 0]
    if not len(clicked):
        return int(rows.query[run[0]]), time, 0, -1
    rank = max(1, round(float(rows.rank[clicked].mean())))
    sites = rows.site[clicked].tolist()
    site = sites[0]
    for other in sites[1:]:
        site = rows.sites.common(site, other) if site >= 0 else -1
    return int(rows.query[run[0]]), time, rank, site
