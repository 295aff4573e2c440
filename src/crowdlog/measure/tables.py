"""The tables of a release, and the same tables of the log itself, as numbered keys with counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.kinds import WINDOW
from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.key_counts import KeyCounts, count_keys

if TYPE_CHECKING:
    from crowdlog.measure.log_arrays import LogArrays


@dataclass(frozen=True)
class Tables:
    """What is known of the crowd. A table that is not there is None."""

    queries: KeyCounts | None
    clicks: KeyCounts | None  # query, url
    pairs: KeyCounts | None  # query, the next query
    flow: KeyCounts | None  # query, any later query of the session
    sequences: KeyCounts | None = None  # published sequences of two queries


def tables_of(events: LogArrays, *, users: bool = False) -> Tables:
    """The tables a release without any protection would hold. `users` also counts people per key."""
    seen, clicked = events.impression, events.url >= 0
    return Tables(
        queries=count_keys(events.query[seen].astype(np.int64), user=events.user[seen] if users else None),
        clicks=count_keys(pack(events.query[clicked], events.url[clicked]), user=events.user[clicked] if users else None),
        pairs=pairs_of(events, reach=1, users=users),
        flow=pairs_of(events, reach=WINDOW - 1),
    )


def pairs_of(events: LogArrays, *, reach: int, users: bool = False, sorted_pair: bool = False) -> KeyCounts:
    """Ordered pairs of different queries of a session, at most `reach` impressions apart."""
    found = list(_transitions(events, reach))
    key = np.concatenate([pack(np.minimum(a, b), np.maximum(a, b)) if sorted_pair else pack(a, b) for a, b, _user in found])
    return count_keys(key, user=np.concatenate([user for _a, _b, user in found]) if users else None)


def _transitions(events: LogArrays, reach: int) -> Iterator[tuple[Any, Any, Any]]:
    seen = events.impression
    query, session, user = events.query[seen], events.session[seen], events.user[seen]
    for distance in range(1, reach + 1):
        same = (session[:-distance] == session[distance:]) & (query[:-distance] != query[distance:])
        yield query[:-distance][same], query[distance:][same], user[distance:][same]
        if not (session[:-distance] == session[distance:]).any():  # no session is that long
            return
