"""The tables of a release, and the same tables of the log itself, as numbered keys with counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from crowdlog.utility.events import Events

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SHIFT = 2**32  # a key of two ids is first · 2³² + second
WINDOW = 30  # queries: how far apart two queries of a session may be to count as a transition (Feild 2013, §3.3)


@dataclass(frozen=True)
class Counted:
    """Distinct keys, ascending, with how often each occurs and (in the log itself) for how many users."""

    key: Ints
    count: Floats
    users: Floats | None = None

    def __len__(self) -> int:
        return len(self.key)

    def __repr__(self) -> str:
        return f"Counted({len(self)} keys)"

    def matrix(self, shape: tuple[int, int]) -> Any:
        """Positive counts as a sparse matrix: first id by second id."""
        from scipy.sparse import csr_array

        kept = self.count > 0
        key = self.key[kept]
        return csr_array((self.count[kept], (key // SHIFT, key % SHIFT)), shape=shape)


@dataclass(frozen=True)
class Tables:
    """What is known of the crowd. A table that is not there is None."""

    queries: Counted | None
    clicks: Counted | None  # query, url
    pairs: Counted | None  # query, the next query
    flow: Counted | None  # query, any later query of the session
    sequences: Counted | None = None  # published sequences of two queries


def pack(first: Any, second: Any) -> Ints:
    packed: Ints = np.asarray(first).astype(np.int64) * SHIFT + second
    return packed


def counted(key: Ints, weight: Floats | None = None, user: Any = None) -> Counted:
    """Add up equal keys. With `user` also count the different users of each key."""
    distinct, inverse = np.unique(key, return_inverse=True)
    count = np.bincount(inverse, weights=weight, minlength=len(distinct)).astype(np.float64)
    if user is None:
        return Counted(distinct, count)
    holders = np.unique(pack(inverse, user)) // SHIFT
    return Counted(distinct, count, np.bincount(holders, minlength=len(distinct)).astype(np.float64))


def tables_of(events: Events, *, users: bool = False) -> Tables:
    """The tables a release without any protection would hold. `users` also counts people per key."""
    seen, clicked = events.impression, events.url >= 0
    return Tables(
        queries=counted(events.query[seen].astype(np.int64), user=events.user[seen] if users else None),
        clicks=counted(pack(events.query[clicked], events.url[clicked]), user=events.user[clicked] if users else None),
        pairs=pairs_of(events, reach=1, users=users),
        flow=pairs_of(events, reach=WINDOW - 1),
    )


def pairs_of(events: Events, *, reach: int, users: bool = False, sorted_pair: bool = False) -> Counted:
    """Ordered pairs of different queries of a session, at most `reach` impressions apart."""
    found = list(_transitions(events, reach))
    key = np.concatenate([pack(np.minimum(a, b), np.maximum(a, b)) if sorted_pair else pack(a, b) for a, b, _user in found])
    return counted(key, user=np.concatenate([user for _a, _b, user in found]) if users else None)


def _transitions(events: Events, reach: int) -> Iterator[tuple[Any, Any, Any]]:
    seen = events.impression
    query, session, user = events.query[seen], events.session[seen], events.user[seen]
    for distance in range(1, reach + 1):
        same = (session[:-distance] == session[distance:]) & (query[:-distance] != query[distance:])
        yield query[:-distance][same], query[distance:][same], user[distance:][same]
        if not (session[:-distance] == session[distance:]).any():  # no session is that long
            return
