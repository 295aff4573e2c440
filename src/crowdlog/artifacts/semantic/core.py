"""Generalized k-cores: the core degree of every vector, for all k in one peeling.

The degree of a vector inside a set of vectors is the number of distinct users of it and its neighbours in the set. Its core degree is the
largest k for which it belongs to a set where every degree is at least k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from crowdlog.artifacts.semantic.graph import Graph
from crowdlog.artifacts.semantic.vectors import Ints, Longs


@dataclass(frozen=True, repr=False)
class UserSets:
    """The distinct users of vector v are `user[start[v]:start[v+1]]`, numbered 0 … users − 1."""

    start: Longs
    user: Ints
    users: int


@njit(cache=True)
def _count_users(v: int, stamp: int, start: Longs, neighbour: Ints, ustart: Longs, user: Ints, gone: Ints, seen: Ints) -> int:
    """Distinct users of v and its neighbours that are not gone. `seen` remembers the last stamp of every user."""
    n = int(ustart[v + 1] - ustart[v])
    for i in range(ustart[v], ustart[v + 1]):
        seen[user[i]] = stamp
    for e in range(start[v], start[v + 1]):
        w = neighbour[e]
        if gone[w]:
            continue
        for i in range(ustart[w], ustart[w + 1]):
            if seen[user[i]] != stamp:
                seen[user[i]] = stamp
                n += 1
    return n


@njit(cache=True, inline="always")
def _unlink(v: int, key: Ints, head: Ints, after: Ints, before: Ints) -> None:
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        head[key[v]] = after[v]
    if after[v] >= 0:
        before[after[v]] = before[v]


@njit(cache=True, inline="always")
def _link(v: int, k: int, key: Ints, head: Ints, after: Ints, before: Ints) -> None:
    key[v], before[v], after[v] = k, -1, head[k]
    if head[k] >= 0:
        before[head[k]] = v
    head[k] = v


@njit(cache=True)
def _peel(start: Longs, neighbour: Ints, ustart: Longs, user: Ints, users: int, known: Ints) -> tuple[Ints, int]:
    """Core degrees, and how many times users were counted.

    key[v] never exceeds the true degree of v among what is left: at first it is the largest user set of v and its neighbours (or the core
    degree known from a higher Θ), after a count the true degree, and it falls by a neighbour's number of users (at most all of them are
    lost) when that neighbour goes. The smallest key is popped; if a count shows that the degree is higher the vector goes back, else no
    vector has a lower degree and this one is peeled.
    """
    n = len(start) - 1
    key, before, after = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    head = np.full(users + 1, -1, np.int32)
    gone, seen, core = np.zeros(n, np.int32), np.zeros(users, np.int32), np.zeros(n, np.int32)
    for v in range(n):
        best = max(known[v], ustart[v + 1] - ustart[v])
        for e in range(start[v], start[v + 1]):
            best = max(best, ustart[neighbour[e] + 1] - ustart[neighbour[e]])
        _link(v, best, key, head, after, before)
    level, counts, left = 0, 0, n
    while left > 0:
        v = head[level]
        if v < 0:
            level += 1
            continue
        _unlink(v, key, head, after, before)
        counts += 1
        if counts % 2_000_000_000 == 0:
            seen[:] = 0
        degree = _count_users(v, counts % 2_000_000_000 + 1, start, neighbour, ustart, user, gone, seen)
        if degree > level:
            _link(v, degree, key, head, after, before)
            continue
        core[v], gone[v] = level, 1
        left -= 1
        lost = ustart[v + 1] - ustart[v]
        for e in range(start[v], start[v + 1]):
            w = neighbour[e]
            if not gone[w] and key[w] > level:
                _unlink(w, key, head, after, before)
                _link(w, max(level, key[w] - lost), key, head, after, before)
    return core, counts


def core_degrees(graph: Graph, sets: UserSets, known: Ints | None = None) -> Ints:
    """The core degree of every vector: it is released for every k up to that. `known`: core degrees for a higher Θ, which save counting."""
    known = np.zeros(len(graph), np.int32) if known is None else known
    core: Ints = _peel(graph.start, graph.neighbour, sets.start, sets.user, sets.users, known)[0]
    return core


@njit(cache=True)
def _merge_users(start: Longs, user: Ints, order: Longs, ostart: Longs, users: int) -> tuple[Longs, Ints]:
    seen = np.full(users, -1, np.int32)
    new_start = np.zeros(len(ostart), np.int64)
    new_user = np.empty(len(user), np.int32)
    n = 0
    for v in range(len(ostart) - 1):
        for q in order[ostart[v] : ostart[v + 1]]:
            for i in range(start[q], start[q + 1]):
                if seen[user[i]] != v:
                    seen[user[i]] = v
                    new_user[n] = user[i]
                    n += 1
        new_start[v + 1] = n
    return new_start, new_user[:n].copy()


def merge_users(start: Longs, user: Ints, vector_of: Ints, vectors: int, users: int) -> UserSets:
    """Distinct users of every vector from the distinct users of every query (`user[start[q]:start[q+1]]`)."""
    order = np.argsort(vector_of, kind="stable")
    ostart = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(vector_of, minlength=vectors))])
    new_start, new_user = _merge_users(start, user, order, ostart, users)
    return UserSets(new_start, new_user, users)
