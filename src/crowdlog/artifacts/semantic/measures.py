"""What a degree per query is worth: the share released against k, for the log and for single users, and F_β
against a labelling.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from crowdlog.artifacts.semantic.vectors import Ints, Longs
from crowdlog.artifacts.semantic.words import QueryUsers
from crowdlog.types import Bools, Floats

KS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)  # the range of the paper's figures


def released_share(degrees: Ints, ks: Sequence[int] = KS) -> Floats:
    """The share of these queries with a degree of at least k, for each k."""
    ordered = np.sort(degrees)
    return 1 - np.searchsorted(ordered, ks) / max(len(ordered), 1)


@njit(cache=True)
def _mean_share(start: Longs, user: Ints, users: int, released: Bools) -> float:
    typed, kept = np.zeros(users), np.zeros(users)
    for q in range(len(start) - 1):
        for i in range(start[q], start[q + 1]):
            typed[user[i]] += 1
            kept[user[i]] += released[q]
    some = typed > 0
    return float((kept[some] / typed[some]).mean()) if some.any() else 0.0


def mean_user_share(degrees: Ints, users: QueryUsers, ks: Sequence[int] = KS) -> Floats:
    """The share of a user's distinct queries with a degree of at least k, averaged over users, for each k."""
    return np.array([_mean_share(users.start, users.user, users.users, degrees >= k) for k in ks])


def queries_of(users: QueryUsers, user: int) -> Longs:
    """The distinct queries of one user."""
    return np.searchsorted(users.start, np.flatnonzero(users.user == user), side="right") - 1


def f_beta(degrees: Ints, harmless: Bools, beta: float, ks: Sequence[int] = KS) -> Floats:
    """F_β of releasing the harmless queries and nothing else, for each k (0 when nothing is released)."""
    scores = []
    for k in ks:
        released = degrees >= k
        good = int((released & harmless).sum())
        weighed = beta**2 * int(harmless.sum()) + int(released.sum())
        scores.append((1 + beta**2) * good / weighed if weighed else 0.0)
    return np.array(scores)
