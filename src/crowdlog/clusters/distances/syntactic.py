"""Syntactic distance between users (Navarro-Arribas et al.

2012; Erola 2013, §5.3.1.2): words, sites, times, ranks.

The centroid of many users is the aggregation ℂ of §5.3.1.4: as many queries as a user has on the mean, shared
out by largest remainder, so most users give none and the heaviest give one each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.reading import read_words
from crowdlog.clusters.distances.base import UNIT, Distance, Matrix, in_threads, mirror
from crowdlog.clusters.distances.edit_distance import DistanceCache, WordLetters, words_of
from crowdlog.clusters.distances.syntactic_kernels import PART, distances, farthest_of, nearest_of
from crowdlog.clusters.representatives.frequencies import share_of_user
from crowdlog.clusters.space import Space
from crowdlog.clusters.user_rows import UserRows, read_user_rows
from crowdlog.log.store import LogStore
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints

_AFTER_FIRST_LABEL = r"\..*$"
_SCALE = UNIT // (12 * PART)  # 12·d_user in parts of 2¹⁶ → UNIT; exactly 21 times


class _Columns:
    """Rows as parts of 2¹⁶, normalised over the whole log, and what is needed to normalise others."""

    def __init__(self, rows: UserRows, count: Ints) -> None:
        self._time, self._rank = _range(rows.time), _range(rows.rank)
        self._count = _parts(count, *_range(count))

    def of(self, query: Ints, time: Ints, rank: Ints, site: Ints) -> tuple[Any, ...]:
        """Time, rank, site, number of words and query of each row."""
        return (
            _parts(time, *self._time),
            _parts(rank, *self._rank),
            site.astype(np.int32),
            self._count[query],
            query.astype(np.int32),
        )


def _range(values: Ints) -> tuple[int, int]:
    return (int(values.min()), int(values.max())) if len(values) else (0, 0)


def _parts(values: Ints, low: int, high: int) -> NDArray[np.int32]:
    found: NDArray[np.int32] = ((values.astype(np.int64) - low) * PART // max(high - low, 1)).astype(np.int32)
    return found


class SyntacticDistance(Distance):
    """Users by their rows."""

    def __init__(self, rows: UserRows, qstart: Ints, qword: Ints, words: WordLetters) -> None:
        self._set(rows, _Columns(rows, np.diff(qstart)), (qstart, qword), words, _range(rows.lengths))

    def _set(
        self, rows: UserRows, columns: _Columns, queries: Any, words: WordLetters, most: tuple[int, int]
    ) -> None:
        self.rows, self.users = rows, len(rows)
        self.columns, self._queries, self._words, self._most = columns, queries, words, most
        self.two = columns.of(rows.query, rows.time, rows.rank, rows.site)
        self.size = _parts(rows.lengths, *most)
        self.words = (*queries, words.start, words.letter)
        self.sites = _site_labels(rows)
        self._kept = DistanceCache(words)

    def part(self, users: Ints) -> SyntacticDistance:
        same = SyntacticDistance.__new__(SyntacticDistance)
        same._set(_part(self.rows, users), self.columns, self._queries, self._words, self._most)
        return same

    def row(self, user: int, others: Ints) -> Ints:
        return self.row_from(self.point(user), others)

    def row_from(self, point: tuple[Any, ...], others: Ints, kept: DistanceCache | None = None) -> Ints:
        """The distances from a list of rows, such as a centroid, to each of the others."""
        out = np.empty(len(others), np.int64)
        distances(*point, self.rows.start, self.two, self.size, others, *self.rest(point, kept), out)
        return out * _SCALE

    def matrix(self, threads: int = 1, advance: Advance = unseen) -> Matrix:
        """All distances: each pair once, since a full one is dear, and the other half mirrored."""
        found: Matrix = np.zeros((self.users, self.users), np.int32)

        def fill(first: int, last: int) -> None:
            kept = DistanceCache(self._words)  # a thread of its own fills it
            for user in range(first, last):
                found[user, :user] = self.row_from(self.point(user), np.arange(user), kept)

        in_threads(self.users, threads, fill, advance)
        mirror(found)
        return found

    def point(self, user: int) -> tuple[Any, ...]:
        """A user as a list of rows."""
        return self.two, self.rows.start[user], self.rows.start[user + 1], self.size[user]

    def rest(self, point: tuple[Any, ...], kept: DistanceCache | None = None) -> tuple[Any, ...]:
        """Sites, words, and a place for the edit distances of the point's words."""
        columns, begin, end, _size = point
        qstart, qword = self._queries
        mine = [qword[qstart[query] : qstart[query + 1]] for query in np.unique(columns[4][begin:end])]
        words = np.concatenate([np.zeros(0, np.int64), *mine])
        return self.sites, self.words, (kept or self._kept).of(words)

    def space(self) -> SyntacticSpace:
        return SyntacticSpace(self)


class SyntacticSpace(Space):
    """Farthest and nearest without full distances."""

    def __init__(self, distance: SyntacticDistance) -> None:
        self._distance, self.users = distance, distance.users
        self._shares: dict[tuple[int, int], Any] = {}

    def centroid(self, alive: Ints) -> Any:
        """ℂ of these users as a list of rows."""
        d = self._distance
        lengths = d.rows.lengths[alive]
        total = int(lengths.sum())
        mean = (2 * total + len(alive)) // (2 * len(alive))
        share, remainder = np.divmod(lengths * mean, max(total, 1))
        order = np.argsort(-remainder, kind="stable")
        share[order[: mean - int(share.sum())]] += 1
        givers = np.flatnonzero(share)
        rows = [row for i in givers for row in self._share(int(alive[i]), int(share[i]))]
        table = np.array(rows, np.int64).reshape(-1, 4)
        columns = d.columns.of(*(table[:, i] for i in range(4)))
        return columns, 0, len(table), _parts(np.array([len(table)]), *d._most)[0]

    def _share(self, user: int, quota: int) -> Any:
        if (user, quota) not in self._shares:
            every = np.ones(len(self._distance.words[0]), bool)
            self._shares[user, quota] = share_of_user(self._distance.rows, user, quota, every)
        return self._shares[user, quota]

    def farthest(self, point: Any, alive: Ints) -> int:
        d = self._distance
        one = d.point(point) if isinstance(point, int) else point
        found, _value = farthest_of(*one, d.rows.start, d.two, d.size, alive, *d.rest(one))
        return int(found)

    def nearest(self, user: int, alive: Ints, k: int) -> Ints:
        d = self._distance
        others = alive[alive != user]
        near = min(k - 1, len(others))
        if not near:
            return np.array([user])
        one = d.point(user)
        found, _value = nearest_of(*one, d.rows.start, d.two, d.size, others, near, *d.rest(one))
        return np.concatenate([[user], found])


def _site_labels(rows: UserRows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The number of labels of each site, and the labels from the right as numbers."""
    sites = rows.sites
    own = (
        pc.replace_substring_regex(sites.name, _AFTER_FIRST_LABEL, "").dictionary_encode().indices.to_numpy()
    )
    table = np.full((len(sites), int(sites.depth.max(initial=1))), -1, np.int32)
    for last in range(table.shape[1]):  # those above are filled in before
        here = np.flatnonzero(sites.depth == last + 1)
        table[here, :last] = table[sites.above[here], :last]
        table[here, last] = own[here]
    return sites.depth, table


def _part(rows: UserRows, users: Ints) -> UserRows:
    length = rows.lengths[users]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
    place = np.arange(start[-1]) + np.repeat(rows.start[users] - start[:-1], length)
    columns = (rows.query[place], rows.time[place], rows.rank[place], rows.site[place])
    return UserRows(start, *columns, rows.sites)


def read_syntactic(log: LogStore) -> SyntacticDistance:
    """The rows and words of a log."""
    words = read_words(log)
    return SyntacticDistance(
        read_user_rows(log), words.start, words.word.astype(np.int64), words_of(words.text.to_pylist())
    )
