"""The arithmetic of the syntactic distance (Erola 2013, eq. 5.1–5.4) on whole numbers, parts of 2¹⁶.

With every part in [0, 1]: 6·d_query = Δtime + Δrank + d_u + Δwords + 2·d_H(words), and 12·d_user = 6·Δqueries
+ H, where H is the Hausdorff distance over 6·d_query. A full H is seldom needed: whether it is above a bar is
known as soon as one row has no partner within it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.clusters.distances.edit_distance import edits_between

PART = 1 << 16


@njit(cache=True, nogil=True)
def site_distance(one: int, other: int, length: Any, label: Any) -> Any:
    """d_u of two sites, labels from the right; −1 is no site."""
    if one == other:
        return 0
    if one < 0 or other < 0:
        return PART
    longer = max(length[one], length[other])
    shorter = min(length[one], length[other])
    total = 0
    for i in range(longer):
        if i >= shorter or label[one, i] != label[other, i]:
            total += 1 << (longer - 1 - i)
    return total * PART // ((1 << longer) - 1)


@njit(cache=True, nogil=True)
def _words_within(p: int, q: int, bar: int, words: Any, kept: Any) -> Any:
    """Whether each word of p has a word of q at an edit distance, by the longer's length,
    of at most `bar`.
    """
    qstart, qword, start, letter = words
    for i in range(qstart[p], qstart[p + 1]):
        a = qword[i]
        size = start[a + 1] - start[a]
        near = False
        for j in range(qstart[q], qstart[q + 1]):
            b = qword[j]
            if a == b:
                near = True
                break
            other = start[b + 1] - start[b]
            longer = max(size, other)
            if abs(size - other) * PART > bar * longer:
                continue
            if edits_between(a, b, start, letter, kept) * PART < (bar + 1) * longer:
                near = True
                break
        if not near:
            return False
    return True


@njit(cache=True, nogil=True)
def _words_apart(p: int, q: int, words: Any, kept: Any) -> Any:
    """The Hausdorff distance of the words of two queries."""
    qstart, qword, start, letter = words
    farthest = 0
    for one, other in ((p, q), (q, p)):
        for i in range(qstart[one], qstart[one + 1]):
            a = qword[i]
            nearest = PART
            for j in range(qstart[other], qstart[other + 1]):
                b = qword[j]
                if a == b:
                    nearest = 0
                    break
                longer = max(start[a + 1] - start[a], start[b + 1] - start[b])
                apart = edits_between(a, b, start, letter, kept) * PART // longer
                nearest = min(nearest, apart)
                if nearest <= farthest:
                    break
            farthest = max(farthest, nearest)
    return farthest


@njit(cache=True, nogil=True)
def _cheap(x: int, y: int, one: Any, two: Any, sites: Any, bar: int) -> Any:
    """All of 6·d_query but the words, or more than `bar` where a part is above it already."""
    time1, rank1, site1, count1, _query1 = one
    time2, rank2, site2, count2, _query2 = two
    found = abs(time1[x] - time2[y]) + abs(count1[x] - count2[y]) + abs(rank1[x] - rank2[y])
    if found > bar or site1[x] == site2[y]:
        return found
    return found + site_distance(site1[x], site2[y], sites[0], sites[1])


@njit(cache=True, nogil=True)
def row_within(x: int, y: int, one: Any, two: Any, bar: int, sites: Any, words: Any, kept: Any) -> Any:
    """Whether 6·d_query of two rows is at most `bar`."""
    found = _cheap(x, y, one, two, sites, bar)
    if found > bar:
        return False
    p, q = one[4][x], two[4][y]
    left = (bar - found) // 2
    if left >= PART or p == q:
        return True
    return _words_within(p, q, left, words, kept) and _words_within(q, p, left, words, kept)


@njit(cache=True, nogil=True)
def row_apart(x: int, y: int, one: Any, two: Any, sites: Any, words: Any, kept: Any) -> Any:
    """6·d_query of two rows."""
    p, q = one[4][x], two[4][y]
    apart = 0 if p == q else _words_apart(p, q, words, kept)
    return _cheap(x, y, one, two, sites, 1 << 60) + 2 * apart


@njit(cache=True, nogil=True)
def _covered(
    one: Any, rows: Any, two: Any, b0: int, b1: int, bar: int, sites: Any, words: Any, kept: Any
) -> Any:
    """Whether each of these rows has a partner within the bar; a row that has none moves to the front."""
    last = b0
    for i in range(len(rows)):
        x = rows[i]
        near = row_within(x, last, one, two, bar, sites, words, kept)
        y = b0
        while not near and y < b1:
            if row_within(x, y, one, two, bar, sites, words, kept):
                near = True
                last = y
            y += 1
        if not near:
            for j in range(i, 0, -1):
                rows[j] = rows[j - 1]
            rows[0] = x
            return False
    return True


@njit(cache=True, nogil=True)
def _one_way(
    one: Any, rows: Any, two: Any, b0: int, b1: int, farthest: int, sites: Any, words: Any, kept: Any
) -> Any:
    """The largest distance of a row to its nearest partner, or `farthest` if that is larger."""
    last = b0
    for x in rows:
        if row_within(x, last, one, two, farthest, sites, words, kept):
            continue
        nearest = 1 << 60
        for y in range(b0, b1):
            if row_within(x, y, one, two, nearest - 1, sites, words, kept):
                nearest = row_apart(x, y, one, two, sites, words, kept)
                last = y
                if nearest <= farthest:
                    break
        farthest = max(farthest, nearest)
    return farthest


@njit(cache=True, nogil=True)
def hausdorff(
    one: Any, rows: Any, a0: int, a1: int, two: Any, b0: int, b1: int, sites: Any, words: Any, kept: Any
) -> Any:
    """H over 6·d_query of two lists of rows; 6 where one of them is empty, 0 where both are.

    `rows`: those of the first list, in the order in which they are tried; whatever it is, H is the same.
    """
    if a0 == a1 or b0 == b1:
        return 0 if a0 == a1 and b0 == b1 else 6 * PART
    there = _one_way(one, rows, two, b0, b1, 0, sites, words, kept)
    return _one_way(two, np.arange(b0, b1), one, a0, a1, there, sites, words, kept)


@njit(cache=True, nogil=True)
def _within(
    one: Any,
    rows: Any,
    a0: int,
    a1: int,
    two: Any,
    b0: int,
    b1: int,
    bar: int,
    sites: Any,
    words: Any,
    kept: Any,
) -> Any:
    """Whether H is at most `bar`. `rows`: the first list's rows in the order in which they are tried."""
    if bar < 0:
        return False
    if a0 == a1 or b0 == b1:
        return (a0 == a1 and b0 == b1) or bar >= 6 * PART
    if not _covered(one, rows, two, b0, b1, bar, sites, words, kept):
        return False
    return _covered(two, np.arange(b0, b1), one, a0, a1, bar, sites, words, kept)


@njit(cache=True, nogil=True)
def distances(
    one: Any, a0: int, a1: int, size1: int, start: Any, two: Any, size: Any, others: Any,
    sites: Any, words: Any, kept: Any, out: Any,
) -> None:  # fmt: skip
    """12·d_user from one list of rows to users."""
    rows = np.arange(a0, a1)
    for i in range(len(others)):
        v = others[i]
        apart = hausdorff(one, rows, a0, a1, two, start[v], start[v + 1], sites, words, kept)
        out[i] = 6 * abs(size1 - size[v]) + apart


@njit(cache=True, nogil=True)
def farthest_of(
    one: Any, a0: int, a1: int, size1: int, start: Any, two: Any, size: Any, others: Any,
    sites: Any, words: Any, kept: Any,
) -> Any:  # fmt: skip
    """The user farthest from a list of rows, of several the first, and 12·d_user."""
    rows = np.arange(a0, a1)
    best, found = -1, -1
    for v in others:
        lengths = 6 * abs(size1 - size[v])
        if _within(one, rows, a0, a1, two, start[v], start[v + 1], best - lengths, sites, words, kept):
            continue
        best = lengths + hausdorff(one, rows, a0, a1, two, start[v], start[v + 1], sites, words, kept)
        found = v
    return found, best


@njit(cache=True, nogil=True)
def nearest_of(
    one: Any, a0: int, a1: int, size1: int, start: Any, two: Any, size: Any, others: Any, k: int,
    sites: Any, words: Any, kept: Any,
) -> Any:  # fmt: skip
    """The k users nearest to a list of rows, nearest first, ties by their order; and 12·d_user of each."""
    rows = np.arange(a0, a1)
    found = np.full(k, -1, np.int64)
    value = np.full(k, 1 << 60, np.int64)
    for v in others:
        lengths = 6 * abs(size1 - size[v])
        bar = value[k - 1] - 1 - lengths
        if not _within(one, rows, a0, a1, two, start[v], start[v + 1], bar, sites, words, kept):
            continue
        apart = lengths + hausdorff(one, rows, a0, a1, two, start[v], start[v + 1], sites, words, kept)
        i = k - 1
        while i > 0 and value[i - 1] > apart:
            value[i], found[i] = value[i - 1], found[i - 1]
            i -= 1
        value[i], found[i] = apart, v
    return found, value
