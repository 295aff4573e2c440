"""Generalized k-cores: the core degree of every vector, for all k in one peeling.

The degree of a vector inside a set of vectors is the number of distinct users of it and its neighbours in the
set. Its core degree is the largest k for which it belongs to a set where every degree is at least k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.graph import Graph
from crowdlog.artifacts.semantic.vectors import Ints, Longs

Flags = NDArray[np.bool_]
_PATIENCE = 8  # counts of a vector's users before they are kept in a table; one or two are the rule
_LAST_STAMP = 2**31 - 4


@dataclass(frozen=True, repr=False)
class UserSets:
    """The distinct users of vector v are `user[start[v]:start[v+1]]`, numbered 0 … users − 1."""

    start: Longs
    user: Ints
    users: int


@njit(cache=True)
def _count_users(
    v: int, stamp: int, start: Longs, neighbour: Ints, ustart: Longs, user: Ints, gone: Flags, seen: Ints
) -> int:
    """Distinct users of v and its neighbours that are not gone.

    `seen` remembers the last stamp of every user.
    """
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
def _supporters(
    v: int,
    stamp: int,
    degree: int,
    start: Longs,
    neighbour: Ints,
    ustart: Longs,
    user: Ints,
    gone: Flags,
    seen: Ints,
) -> tuple[Ints, Ints]:
    """The distinct users around v in ascending order, and by how many of v and its neighbours each is
    supported.
    """
    found, n = np.empty(degree, np.int32), 0
    place = dict()  # noqa: C408 - numba's typed dictionary
    support = np.zeros(degree, np.int32)
    for e in range(start[v] - 1, start[v + 1]):
        w = v if e < start[v] else neighbour[e]
        if gone[w]:
            continue
        for i in range(ustart[w], ustart[w + 1]):
            if seen[user[i]] != stamp:
                seen[user[i]] = stamp
                place[user[i]] = n
                found[n] = user[i]
                n += 1
            support[place[user[i]]] += 1
    order = np.argsort(found)
    return found[order], support[order]


@njit(cache=True)
def _lose(users: Ints, support: Ints, ustart: Longs, user: Ints, w: int) -> int:
    """Take the support of w away; return how many users lost their last."""
    lost = 0
    for i in range(ustart[w], ustart[w + 1]):
        p = np.searchsorted(users, user[i])
        support[p] -= 1
        lost += support[p] == 0
    return lost


@njit(cache=True)
def _first_keys(
    start: Longs,
    neighbour: Ints,
    ustart: Longs,
    known: Ints,
    key: Ints,
    head: Ints,
    after: Ints,
    before: Ints,
) -> None:
    for v in range(len(key)):
        best = max(known[v], ustart[v + 1] - ustart[v])
        for e in range(start[v], start[v + 1]):
            best = max(best, ustart[neighbour[e] + 1] - ustart[neighbour[e]])
        _link(v, best, key, head, after, before)


@njit(cache=True)
def _lower_around(
    v: int, level: int, start: Longs, neighbour: Ints, ustart: Longs, user: Ints, gone: Flags,
    table: Ints, tables: list[tuple[Ints, Ints]], key: Ints, head: Ints, after: Ints, before: Ints,
) -> None:  # fmt: skip
    """v is gone: lower the keys of its neighbours, exactly where a table is kept."""
    for e in range(start[v], start[v + 1]):
        w = neighbour[e]
        if gone[w] or key[w] <= level:
            continue
        lost = ustart[v + 1] - ustart[v]
        if table[w] >= 0:
            lost = _lose(tables[table[w]][0], tables[table[w]][1], ustart, user, v)
        _unlink(w, key, head, after, before)
        _link(w, max(level, key[w] - lost), key, head, after, before)


@njit(cache=True)
def _peel(
    start: Longs, neighbour: Ints, ustart: Longs, user: Ints, users: int, known: Ints, patience: int
) -> tuple[Ints, int]:
    """Core degrees, and how many times users were counted.

    key[v] never exceeds the true degree of v among what is left: at first it is the largest user set of v and
    its neighbours (or the core degree known from a higher Θ), after a count the true degree, and it falls by
    a neighbour's number of users (at most all of them are lost) when that neighbour goes. The smallest key is
    popped; if a count shows that the degree is higher the vector goes back, else no vector has a lower degree
    and this one is peeled. A vector counted more than `patience` times gets a table of its users with their
    supporters; from then on its key is exact.
    """
    n = len(start) - 1
    key, before, after = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    head = np.full(users + 1, -1, np.int32)
    gone, seen, core, counted = (
        np.zeros(n, np.bool_),
        np.zeros(users, np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.uint8),
    )
    table, tables = (
        np.full(n, -1, np.int32),
        [(np.zeros(0, np.int32), np.zeros(0, np.int32)) for _ in range(0)],
    )
    _first_keys(start, neighbour, ustart, known, key, head, after, before)
    level, counts, stamp, left = 0, 0, 0, n
    while left > 0:
        v = head[level]
        if v < 0:
            level += 1
            continue
        _unlink(v, key, head, after, before)
        counts += 1
        stamp += 2
        if stamp > _LAST_STAMP:
            seen[:] = 0
            stamp = 2
        degree = _count_users(v, stamp, start, neighbour, ustart, user, gone, seen)
        if degree > level:
            _link(v, degree, key, head, after, before)
            counted[v] += 1
            if counted[v] == patience:
                table[v] = len(tables)
                tables.append(_supporters(v, stamp + 1, degree, start, neighbour, ustart, user, gone, seen))
            continue
        core[v], gone[v] = level, True
        left -= 1
        _lower_around(v, level, start, neighbour, ustart, user, gone, table, tables, key, head, after, before)
    return core, counts


def core_degrees(graph: Graph, sets: UserSets, known: Ints | None = None) -> Ints:
    """The core degree of every vector: it is released for every k up to that.

    `known`: core degrees for a higher Θ, which save counting.
    """
    known = np.zeros(len(graph), np.int32) if known is None else known
    core: Ints = _peel(graph.start, graph.neighbour, sets.start, sets.user, sets.users, known, _PATIENCE)[0]
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
