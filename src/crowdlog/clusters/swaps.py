"""Swaps: two users of different clusters change places where that lowers the sum of squared errors.

Cluster sizes stay, so k stays. The error of a cluster is the least Σ d(x, m)² over its members m, whole
numbers; users are gone through in the order of their ids, so the result is always the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.clusters.distances.base import UNIT, Matrix
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints

NEIGHBOURS = 30  # a user may move to the clusters of so many nearest users


def squared_error(matrix: Matrix, cluster: Ints) -> float:
    """Σ over users of the squared distance to the medoid of their cluster."""
    member, start = _members(cluster)
    return float(_error(matrix, member, start)) / UNIT**2


def swap(
    matrix: Matrix, cluster: Ints, rounds: int, neighbours: int = NEIGHBOURS, advance: Advance = unseen
) -> Ints:
    """The clusters after at most so many rounds; fewer when a round changes nothing.

    `advance` is called for every user once in each round.
    """
    member, start = _members(cluster)
    found = cluster.copy()
    near = _nearest(matrix, min(neighbours, len(cluster) - 1))
    for left in range(rounds, 0, -1):
        if not _round_of_swaps(matrix, found, member, start, near):
            advance(left * len(cluster))
            break
        advance(len(cluster))
    return found


def _members(cluster: Ints) -> tuple[Ints, Ints]:
    """Users by cluster, and where each cluster begins."""
    member = np.argsort(cluster, kind="stable")
    return member, np.concatenate([[0], np.cumsum(np.bincount(cluster))])


@njit(cache=True, nogil=True)
def _error(matrix: Any, member: Any, start: Any) -> int:
    total = 0
    for c in range(len(start) - 1):
        total += _cost(matrix, member, start[c], start[c + 1], -1, -1)
    return total


@njit(cache=True, nogil=True)
def _cost(matrix: Any, member: Any, begin: int, end: int, out: int, into: int) -> int:
    """The error of a cluster in which `into` stands in the place of `out` (−1: nobody)."""
    best = -1
    for i in range(begin, end):
        m = into if member[i] == out else member[i]
        total: Any = 0
        for j in range(begin, end):
            x = into if member[j] == out else member[j]
            total += np.int64(matrix[m, x]) * np.int64(matrix[m, x])
        if best < 0 or total < best:
            best = total
    return best


@njit(cache=True, nogil=True)
def _nearest(matrix: Any, n: int) -> Any:
    """The n nearest others of each user; ties by the lowest id."""
    users = len(matrix)
    found = np.empty((users, n), np.int32)
    value = np.empty(n, np.int32)
    for u in range(users):
        size = 0
        for v in range(users):
            d = matrix[u, v]
            if v == u or (size == n and d >= value[n - 1]):
                continue
            i = size if size < n else n - 1
            while i > 0 and value[i - 1] > d:
                value[i] = value[i - 1]
                found[u, i] = found[u, i - 1]
                i -= 1
            value[i] = d
            found[u, i] = v
            size = min(size + 1, n)
    return found


@njit(cache=True, nogil=True)
def _fill(matrix: Any, member: Any, begin: int, end: int, squares: Any, sums: Any) -> int:
    """The squared distances of a cluster's members to each other, the sum of each, and the least sum."""
    best = -1
    for i in range(begin, end):
        sums[i] = 0
        for j in range(begin, end):
            squares[i, j - begin] = np.int64(matrix[member[i], member[j]]) ** 2
            sums[i] += squares[i, j - begin]
        if best < 0 or sums[i] < best:
            best = sums[i]
    return best


@njit(cache=True, nogil=True)
def _squares_to(matrix: Any, user: int, member: Any, begin: int, end: int, apart: Any) -> Any:
    """The squared distances of a user to the members of a cluster, and their sum."""
    total = np.int64(0)
    for i in range(begin, end):
        apart[i - begin] = np.int64(matrix[user, member[i]]) ** 2
        total += apart[i - begin]
    return total


@njit(cache=True, nogil=True)
def _error_after(out: int, begin: int, end: int, squares: Any, sums: Any, apart: Any, total: Any) -> Any:
    """The error of a cluster in which the member at place `out` makes room for a user who is `apart` from the
    others. It is what _cost would give.
    """
    best = total - apart[out - begin]
    for i in range(begin, end):
        if i != out:
            best = min(best, sums[i] - squares[i, out - begin] + apart[i - begin])
    return best


@njit(cache=True, nogil=True)
def _round_of_swaps(matrix: Any, cluster: Any, member: Any, start: Any, near: Any) -> int:
    """For each user the best swap with a member of a neighbour's cluster, if one lowers the error."""
    clusters = len(start) - 1
    largest = (start[1:] - start[:-1]).max()
    squares = np.empty((len(member), largest), np.int64)
    sums = np.empty(len(member), np.int64)
    cost = np.empty(clusters, np.int64)
    for c in range(clusters):
        cost[c] = _fill(matrix, member, start[c], start[c + 1], squares, sums)
    mine, theirs = np.empty(largest, np.int64), np.empty(largest, np.int64)
    seen = np.full(clusters, -1, np.int64)
    place = np.empty(len(member), np.int64)
    for i in range(len(member)):
        place[member[i]] = i
    done = 0
    for u in range(len(cluster)):
        own = cluster[u]
        seen[own] = u
        gain, partner = np.int64(0), -1
        for i in range(near.shape[1]):
            other = cluster[near[u, i]]
            if seen[other] == u:
                continue
            seen[other] = u
            begin, end = start[other], start[other + 1]
            total = _squares_to(matrix, u, member, begin, end, mine)
            for j in range(begin, end):
                left = cost[own] + cost[other] - _error_after(j, begin, end, squares, sums, mine, total)
                if left <= gain:
                    continue
                there = _squares_to(matrix, member[j], member, start[own], start[own + 1], theirs)
                left -= _error_after(place[u], start[own], start[own + 1], squares, sums, theirs, there)
                if left > gain:
                    gain, partner = left, member[j]
        if partner >= 0:
            other = cluster[partner]
            member[place[u]], member[place[partner]] = partner, u
            place[u], place[partner] = place[partner], place[u]
            cluster[u], cluster[partner] = other, own
            cost[own] = _fill(matrix, member, start[own], start[own + 1], squares, sums)
            cost[other] = _fill(matrix, member, start[other], start[other + 1], squares, sums)
            done += 1
    return done
