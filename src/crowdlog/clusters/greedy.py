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
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints


def greedy(similarity: Matrix, k: int, advance: Advance = unseen) -> Ints:
    """The number of each user's cluster. `advance` is called for every user when she has one."""
    users = len(similarity)
    cluster = np.full(users, -1, np.int64)
    partner = np.empty(users, np.int64)
    _partners(similarity, cluster, partner)
    together = np.empty(users, np.int64)
    clusters = users // k
    for number in range(clusters):
        _join(similarity, k, number, cluster, partner, together)
        advance(k)
    cluster[cluster < 0] = clusters - 1
    advance(users - k * clusters)
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
def _partners(similarity: Any, cluster: Any, partner: Any) -> None:
    for u in range(len(similarity)):
        partner[u] = _best(similarity, u, cluster)


@njit(cache=True, nogil=True)
def _join(similarity: Any, k: int, number: int, cluster: Any, partner: Any, together: Any) -> None:
    """One cluster of the most similar users who have none. `together` is a place to work in."""
    users = len(similarity)
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
