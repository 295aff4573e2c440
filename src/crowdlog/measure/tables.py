"""The tables of a release, and the same tables of the log itself, as numbered keys with counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.kinds import WINDOW
from crowdlog.artifacts.packed_keys import SHIFT, pack, unpack
from crowdlog.measure.log_arrays import LogArrays
from crowdlog.types import Floats, Ints


@dataclass(frozen=True)
class KeyCounts:
    """Distinct keys, ascending, with how often each occurs and (in the log itself) for how many users."""

    key: Ints
    count: Floats
    users: Floats | None = None

    def __len__(self) -> int:
        return len(self.key)

    def __repr__(self) -> str:
        return f"KeyCounts({len(self)} keys)"

    def at_least(self, count: float) -> KeyCounts:
        """The keys with at least this count."""
        often = self.count >= count
        return KeyCounts(self.key[often], self.count[often])

    def matrix(self, shape: tuple[int, int]) -> Any:
        """Positive counts as a sparse matrix: first id by second id."""
        from scipy.sparse import csr_array

        kept = self.count > 0
        return csr_array((self.count[kept], unpack(self.key[kept])), shape=shape)


def count_keys(key: Ints, weight: Floats | None = None, user: Any = None) -> KeyCounts:
    """Add up equal keys. With `user` also count the different users of each key."""
    distinct, inverse = np.unique(key, return_inverse=True)
    count = np.bincount(inverse, weights=weight, minlength=len(distinct)).astype(np.float64)
    if user is None:
        return KeyCounts(distinct, count)
    holders = np.unique(pack(inverse, user)) // SHIFT
    return KeyCounts(distinct, count, np.bincount(holders, minlength=len(distinct)).astype(np.float64))


@dataclass(frozen=True)
class Tables:
    """What is known of the crowd. A table that is not there is None."""

    queries: KeyCounts | None
    clicks: KeyCounts | None  # query, url
    pairs: KeyCounts | None  # query, the next query
    flow: KeyCounts | None  # query, any later query of the session
    sequences: KeyCounts | None = None  # published sequences of two queries
    query_sites: KeyCounts | None = None  # query, site; a site is numbered as a URL that is nothing but it
    histories: Any = None  # a release of rows: `measure.histories.PublishedHistories`


def tables_of(events: LogArrays, *, users: bool = False) -> Tables:
    """The tables a release without any protection would hold. `users` also counts people per key."""
    seen, clicked = events.impression, events.url >= 0
    clicks = pack(events.query[clicked], events.url[clicked])
    return Tables(
        queries=count_keys(events.query[seen].astype(np.int64), user=events.user[seen] if users else None),
        clicks=count_keys(clicks, user=events.user[clicked] if users else None),
        pairs=pairs_of(events, reach=1, users=users),
        flow=pairs_of(events, reach=WINDOW - 1),
    )


def pairs_of(events: LogArrays, *, reach: int, users: bool = False, sorted_pair: bool = False) -> KeyCounts:
    """Ordered pairs of different queries of a session, at most `reach` impressions apart."""
    seen = events.impression
    query, user = events.query[seen], events.user[seen]
    keys, holders = [np.zeros(0, np.int64)], [user[:0]]
    for first, second in transitions(query, events.session[seen], reach):
        a, b = query[first], query[second]
        keys.append(pack(np.minimum(a, b), np.maximum(a, b)) if sorted_pair else pack(a, b))
        holders += [user[second]] if users else []
    return count_keys(np.concatenate(keys), user=np.concatenate(holders) if users else None)


def transitions(query: Any, group: Any, reach: int) -> Iterator[tuple[Ints, Ints]]:
    """The places of two different queries of one group, at most `reach` apart: first ones, second ones."""
    for distance in range(1, reach + 1):
        same = group[:-distance] == group[distance:]
        if not same.any():  # no group is that long
            return
        first = np.flatnonzero(same & (query[:-distance] != query[distance:]))
        yield first, first + distance
