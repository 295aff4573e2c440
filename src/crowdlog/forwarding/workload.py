"""Who asks what: the queries of every user as numbers, in the order in which she asks them.

Three sources: `repeated` (each user asks one query of her own again and again, the seed's first kind of
test), `topical` (made up here: a few favourite topics each, frequent and rare queries in every topic) and
`of_log` (the users of an imported log, the seed's second kind).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.forwarding.random_stream import advanced, below, stream
from crowdlog.log.store import LogStore
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Ints

TOPICS = 1000
_OCTAVES = 10  # a topic has 2^10 − 1 queries; each octave of ranks is asked equally often (a Zipf law)
PER_TOPIC = 2**_OCTAVES - 1
_FAVOURITES = 3  # topics of one user; the first takes 6 of 10 queries, the second 3, the third 1
_TASTE, _ASKED = 1 << 43, 1 << 44  # parts of the random stream

Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Workload:
    """`query[start[u] + i]` is the i-th query of user u."""

    start: Ints
    query: Numbers

    @property
    def users(self) -> int:
        return len(self.start) - 1

    @property
    def counts(self) -> Numbers:
        return np.diff(self.start).astype(np.int32)

    @property
    def rounds(self) -> int:
        return int(self.counts.max(initial=0))


def repeated(users: int, queries: int) -> Workload:
    """Each user asks her own query, which nobody else asks, `queries` times."""
    return Workload(_evenly(users, queries), np.repeat(np.arange(users, dtype=np.int32), queries))


def topical(users: int, queries: int, *, seed: int, topics: int = TOPICS) -> Workload:
    """Each user has three favourite topics; a query's number divided by PER_TOPIC is its topic."""
    if not _FAVOURITES <= topics <= 2_000_000:
        raise InputError(f"'topics' must be {_FAVOURITES} to 2,000,000. Got {topics}.")
    return Workload(_evenly(users, queries), _asked(users, queries, seed, topics))


def of_log(store: LogStore, users: int | None = None, most: int | None = None) -> Workload:
    """The impressions of the first `users` users of a log, at most `most` each, the earliest first."""
    rows = Impressions(store)
    kept = np.ones(len(rows.user), bool) if users is None else rows.user < users
    if most is not None:
        kept &= rows.nth_impression < most
    counts = np.bincount(rows.user[kept], minlength=users or 0)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Workload(start, rows.query[kept].astype(np.int32))


def _evenly(users: int, queries: int) -> Ints:
    if users * queries > 2**31:
        raise InputError(
            f"{users:,} users with {queries:,} queries each are more than 2^31 queries; ask for fewer."
        )
    return np.arange(users + 1, dtype=np.int64) * queries


@njit(parallel=True, cache=True)
def _asked(users: int, queries: int, seed: int, topics: int) -> Numbers:
    asked = np.empty(users * queries, np.int32)
    for user in prange(users):
        favourites = np.empty(_FAVOURITES, np.int64)
        state = stream(seed, user, _TASTE)
        for i in range(_FAVOURITES):
            state = advanced(state)
            favourites[i] = below(state, topics)
        state = stream(seed, user, _ASKED)
        for i in range(queries):
            state = advanced(state)
            draw = below(state, 10)
            topic = favourites[0 if draw < 6 else 1 if draw < 9 else 2]
            state = advanced(state)
            octave = below(state, _OCTAVES)
            state = advanced(state)
            rank = (1 << octave) + below(state, 1 << octave) - 1
            asked[user * queries + i] = topic * PER_TOPIC + rank
    return asked
