"""Syntactic microaggregation as printed (Erola 2013, §5.3), in plain Python on lists of rows.

Nothing of the fast code is used: full Hausdorff distances everywhere, the centroid ℂ by its own words. Whole
numbers, parts of 2¹⁶, are rounded down where the documents say so. A row is (text, time, rank, host), a host
a tuple of labels from the right, () without a click.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

PART = 1 << 16


def levenshtein(a, b):
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
        before = row
    return before[-1]


def hausdorff(one, other, apart):
    return max(
        max(min(apart(x, y) for y in other) for x in one),
        max(min(apart(x, y) for x in one) for y in other),
    )


def _hosts(one, other):
    if not one or not other:
        return PART * (one != other)
    longer = max(len(one), len(other))
    differs = [i for i in range(longer) if one[i : i + 1] != other[i : i + 1]]
    return sum(2 ** (longer - 1 - i) for i in differs) * PART // (2**longer - 1)


class Syntactic:
    """The users of a log, each a list of rows."""

    def __init__(self, users):
        self.users = users
        rows = [row for user in users for row in user]
        self._time = self._norm([row[1] for row in rows])
        self._rank = self._norm([row[2] for row in rows])
        self._words = self._norm([len(row[0].split()) for row in rows])
        self._size = self._norm([len(user) for user in users])

    @staticmethod
    def _norm(values):
        low, high = min(values), max(values)
        return lambda value: (value - low) * PART // max(high - low, 1)

    def _queries(self, x, y):
        """6·d_query."""

        def words(a, b):
            return levenshtein(a, b) * PART // max(len(a), len(b))

        differences = (
            abs(self._time(x[1]) - self._time(y[1]))
            + abs(self._rank(x[2]) - self._rank(y[2]))
            + abs(self._words(len(x[0].split())) - self._words(len(y[0].split())))
        )
        return differences + _hosts(x[3], y[3]) + 2 * hausdorff(x[0].split(), y[0].split(), words)

    def apart(self, one, other):
        """12·d_user of two lists of rows."""
        lengths = 6 * abs(self._size(len(one)) - self._size(len(other)))
        return lengths + hausdorff(one, other, self._queries)

    def centroid(self, left):
        """ℂ: as many rows as these users have on the mean, shared out by largest remainder."""
        total = sum(len(self.users[user]) for user in left)
        mean = (2 * total + len(left)) // (2 * len(left))
        exact = {user: len(self.users[user]) * mean for user in left}
        share = {user: exact[user] // total for user in left}
        missing = mean - sum(share.values())
        for user in sorted(left, key=lambda user: (-(exact[user] % total), user))[:missing]:
            share[user] += 1
        return [row for user in left for row in _give(self.users[user], share[user])]


def _give(rows, quota):
    """Rows of one user: strings by falling frequency, then by first use; every (size)th row of that order."""
    if not quota:
        return []
    count = Counter(row[0] for row in rows)  # in the order of first use
    before, given = 0, []
    for text in sorted(count, key=lambda text: -count[text]):
        mine = [row for row in rows if row[0] == text]
        taken = sum(-(-len(rows) * i // quota) in range(before, before + len(mine)) for i in range(quota))
        bounds = [len(mine) * i // taken for i in range(taken + 1)] if taken else []
        given += [_mean(mine[a:b]) for a, b in pairwise(bounds)]
        before += len(mine)
    return given


def _mean(run):
    """One row in the place of several of the same text."""
    time = sum(row[1] for row in run) // len(run)
    clicked = [row for row in run if row[3]]
    if not clicked:
        return run[0][0], time, 0, ()
    rank = max(1, round(sum(row[2] for row in clicked) / len(clicked)))
    host = clicked[0][3]
    for row in clicked[1:]:
        same = 0
        while same < min(len(host), len(row[3])) and host[same] == row[3][same]:
            same += 1
        host = host[:same]
    return run[0][0], time, rank, host


def mdav(log, k, *, once=False):
    """Algorithm 1; ties to the lowest id. Returns a set of clusters."""
    left, clusters = list(range(len(log.users))), []
    fixed = log.centroid(left)

    def farthest(point):
        return max(left, key=lambda v: (log.apart(point, log.users[v]), -v))

    def close(user):
        mine = log.users[user]
        others = sorted((v for v in left if v != user), key=lambda v: (log.apart(mine, log.users[v]), v))
        cluster = [user, *others[: k - 1]]
        clusters.append(frozenset(cluster))
        left[:] = [v for v in left if v not in cluster]

    while len(left) >= 3 * k:
        first = farthest(fixed if once else log.centroid(left))
        close(first)
        close(farthest(log.users[first]))
    if len(left) >= 2 * k:
        close(farthest(fixed if once else log.centroid(left)))
    clusters.append(frozenset(left))
    return set(clusters)
