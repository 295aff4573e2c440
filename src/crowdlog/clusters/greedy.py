"""Greedy clusters by similarity (Erola 2013, Algorithms 4 and 5).

The two most similar users are joined; the user most similar to both together is added, until there are k.
Decided where the paper leaves it open or is wrong: the diagonal is left out; the loop runs while at least k
users are left (printed: ≤); rows are added symmetrically; ties go to the lowest ids; fewer than k leftovers
join the last cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.clusters.distances.base import Matrix
from crowdlog.types import Ints


def greedy(similarity: Matrix, k: int) -> Ints:
    """The number of each user's cluster."""
    cluster = np.full(len(similarity), -1, np.int64)
    _join(similarity, k, cluster)
    return cluster


@njit(cache=True, nogil=True)
def _best(similarity: Any, u: int, cluster: Any) -> int:
    """The user of a higher id without a cluster who is most similar to u; −1 if there is none."""
    best = -1
    for v in range(u + 1, len(similarity)):
        if cluster[v] < 0 and (best < 0 or similarity[u, v] > similarity[u, best]):
            best = v
    return best


@njit(cache=True, nogil=True)
def _join(similarity: Any, k: int, cluster: Any) -> None:
    users = len(similarity)
    partner = np.empty(users, np.int64)
    for u in range(users):
        partner[u] = _best(similarity, u, cluster)
    together = np.empty(users, np.int64)
    left, number = users, 0
    while left >= k:
        one = -1
        for u in range(users):
            if cluster[u] < 0 and partner[u] >= 0 and cluster[partner[u]] >= 0:
                partner[u] = _best(similarity, u, cluster)
            if cluster[u] >= 0 or partner[u] < 0:
                continue
            if one < 0 or similarity[u, partner[u]] > similarity[one, partner[one]]:
                one = u
        newest = partner[one]
        cluster[one] = number
        cluster[newest] = number
        for v in range(users):
            together[v] = np.int64(similarity[one, v]) + similarity[newest, v]
        for _more in range(k - 2):
            newest = -1
            for v in range(users):
                if cluster[v] < 0 and (newest < 0 or together[v] > together[newest]):
                    newest = v
            cluster[newest] = number
            for v in range(users):
                together[v] += similarity[newest, v]
        left -= k
        number += 1
    for u in range(users):
        if cluster[u] < 0:
            cluster[u] = number - 1
