"""From scores of pairs to tasks: average or single link above a threshold η, under a person's own labels.

`known` holds her own task of each search, −1 where she gave none. Two searches of different labels are never
joined (cannot-link), two of one label always (must-link): by single link before anything else, by average
link after everything else. A large task of hers joined first has a low mean score with all that belongs to
it, and later searches that a part of it would have drawn are left out.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_NEVER = -1e30  # a mean with one such pair in it stays far below every threshold


@njit(cache=True, nogil=True)
def average_link(scores, known, eta):  # type: ignore[no-untyped-def]
    """Join the two clusters with the largest mean score while that is at least η (UPGMA, by chains of nearest
    neighbours: Murtagh 1983), then those that hold one label of hers. `scores` is symmetric and used up.
    Returns the smallest member of each search's cluster.
    """
    n = len(scores)
    size = np.ones(n)
    alive = np.ones(n, np.bool_)
    cluster = np.arange(n)
    _forbid(scores, known)
    chain = np.empty(n + 1, np.int64)
    length = 0
    for start in range(n):
        if not alive[start]:
            continue
        chain[0] = start
        length = 1
        while length > 0:
            end = chain[length - 1]
            best, other = _nearest(scores, alive, end, chain[length - 2] if length > 1 else -1)
            if other < 0 or best < eta:
                alive[end] = False  # nothing is near enough to what ends the chain: it is a task
                length -= 1
            elif length > 1 and other == chain[length - 2]:
                length -= 2
                kept, gone = min(end, other), max(end, other)
                _merge(scores, size, alive, cluster, kept, gone)
                if length == 0:
                    chain[0] = kept
                    length = 1
            else:
                chain[length] = other
                length += 1
    _join_labelled(cluster, known)
    return _smallest_members(cluster)


@njit(cache=True, nogil=True)
def _nearest(scores, alive, end, before):  # type: ignore[no-untyped-def]
    """The largest mean score of a cluster with another; the one before in the chain wins ties."""
    best, other = -np.inf, -1
    if before >= 0 and alive[before]:
        best, other = scores[end, before], before
    for k in range(len(scores)):
        if alive[k] and k != end and scores[end, k] > best:
            best, other = scores[end, k], k
    return best, other


@njit(cache=True, nogil=True)
def _merge(scores, size, alive, cluster, kept, gone):  # type: ignore[no-untyped-def]
    whole = size[kept] + size[gone]
    for k in range(len(scores)):
        if alive[k] and k != kept and k != gone:
            mean = (size[kept] * scores[kept, k] + size[gone] * scores[gone, k]) / whole
            scores[kept, k] = scores[k, kept] = mean
    size[kept] = whole
    alive[gone] = False
    cluster[gone] = kept


@njit(cache=True, nogil=True)
def _forbid(scores, known):  # type: ignore[no-untyped-def]
    """Two searches of different labels can never be joined, nor what holds them."""
    for i in range(len(known)):
        for j in range(i):
            if known[i] >= 0 and known[j] >= 0 and known[i] != known[j]:
                scores[i, j] = scores[j, i] = _NEVER


@njit(cache=True, nogil=True)
def _join_labelled(cluster, known):  # type: ignore[no-untyped-def]
    """Join the clusters that hold searches of one label; a cluster holds one label at most."""
    for i in range(len(known)):
        for j in range(i):
            if known[i] >= 0 and known[j] == known[i]:
                one, other = _root(cluster, i), _root(cluster, j)
                cluster[max(one, other)] = min(one, other)
                break


@njit(cache=True, nogil=True)
def _smallest_members(cluster):  # type: ignore[no-untyped-def]
    """Follow the merges; a cluster's number is that of its first search."""
    n = len(cluster)
    out = np.empty(n, np.int64)
    for i in range(n):
        root = i
        while cluster[root] != root:
            root = cluster[root]
        out[i] = root
    return out


@njit(cache=True, nogil=True)
def single_link(scores, known, eta):  # type: ignore[no-untyped-def]
    """Connected components of the pairs with at least η. With labels: hers first, then the others by falling
    score (ties: earlier searches first), leaving out what would join two of her tasks.
    """
    n = len(scores)
    cluster = np.arange(n)
    label = known.copy()
    for i in range(n):
        for j in range(i):
            if known[i] >= 0 and known[j] == known[i]:
                cluster[i] = _root(cluster, j)
                break
    pairs = 0
    for i in range(n):
        for j in range(i):
            pairs += scores[i, j] >= eta
    weight = np.empty(pairs)
    ends = np.empty((pairs, 2), np.int64)
    at = 0
    for i in range(n):
        for j in range(i):
            if scores[i, j] >= eta:
                weight[at] = -scores[i, j]
                ends[at, 0], ends[at, 1] = i, j
                at += 1
    for place in np.argsort(weight, kind="mergesort"):
        a, b = _root(cluster, ends[place, 0]), _root(cluster, ends[place, 1])
        if a == b or (label[a] >= 0 and label[b] >= 0 and label[a] != label[b]):
            continue
        kept, gone = min(a, b), max(a, b)
        cluster[gone] = kept
        label[kept] = max(label[kept], label[gone])
    return _smallest_members(cluster)


@njit(cache=True, nogil=True)
def _root(cluster, i):  # type: ignore[no-untyped-def]
    while cluster[i] != i:
        cluster[i] = cluster[cluster[i]]
        i = cluster[i]
    return i
