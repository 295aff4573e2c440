"""The operator of §5.4.3.2 (Algorithm 6): each user gives queries by falling repetitions until her quota.

A query with x = Contrib·repetitions gets ⌊x⌋ copies for sure and one more with probability x − ⌊x⌋. Where the
paper is open: quotas are rounded by largest remainder; the list is gone through again while the quota is not
reached and a query has repetitions left; the last query gives no more than the quota. A copy is one of her
rows with that query, the earliest first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from crowdlog.clusters.representatives.base import Draws, Representatives, Row, make_representatives, quotas
from crowdlog.clusters.user_rows import UserRows
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Ints

_PASSES = 200  # then the list is taken as it stands: a user of one in thousands has hardly a chance per pass


def contribute(
    rows: UserRows, members: list[Ints], allowed: NDArray[np.bool_], randomness: Randomness
) -> Representatives:
    """The representative of each cluster."""
    draws, lengths = Draws(randomness), rows.lengths

    def of_cluster(users: Ints) -> Iterator[Row]:
        whole = int(lengths[users].sum())
        for user, quota in zip(users.tolist(), quotas(lengths[users]).tolist(), strict=True):
            for row in _of_user(rows, user, quota, whole, allowed, draws):
                yield int(rows.query[row]), int(rows.time[row]), int(rows.rank[row]), int(rows.site[row])

    return make_representatives(members, of_cluster)


def copies_of(repetitions: int, contribution: float, draws: Draws) -> int:
    """Contrib·repetitions, rounded up or down by lot: 3 × .4 is one copy,
    and a second with probability .2.
    """
    expected = repetitions * contribution
    sure = int(expected)
    return sure + (draws.uniform() < expected - sure)


def _of_user(
    rows: UserRows, user: int, quota: int, whole: int, allowed: NDArray[np.bool_], draws: Draws
) -> list[int]:
    """The numbers of the rows that she gives."""
    begin, end = int(rows.start[user]), int(rows.start[user + 1])
    contribution = (end - begin) / whole if whole else 0.0
    lists: dict[int, list[int]] = {}
    for row in range(begin, end):
        if allowed[rows.query[row]]:
            lists.setdefault(int(rows.query[row]), []).append(row)
    falling = sorted(lists.values(), key=lambda places: (-len(places), places[0]))
    given: list[int] = []
    for turn in range(_PASSES):
        for places in falling:
            wanted = copies_of(len(places), contribution, draws) if turn < _PASSES - 1 else len(places)
            take = min(wanted, len(places), quota - len(given))
            given += places[:take]
            del places[:take]
        if len(given) >= quota or not any(falling):
            break
    return given
