"""What each person holds: queries and clicked (query, URL) pairs as sets, and what follows from them (words,
sites, shown keys) by a map from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.packed_keys import unpack
from crowdlog.artifacts.parts import Words
from crowdlog.engine.log_source import LogSource, numbered
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Ints


@dataclass(frozen=True)
class Holdings:
    """`queries`: who holds which query ids. `clicks`: who holds which clicks; click i is of query
    `click_query[i]` and site `click_site[i]`. `words` are those of each query.
    """

    queries: Incidence
    clicks: Incidence
    click_query: Ints
    click_site: Ints
    words: Words
    sites: Any

    def __repr__(self) -> str:
        return f"Holdings({self.queries.users} people)"


def holdings(source: LogSource) -> Holdings:
    """Read once for all steps."""
    asked, clicked = Artifact("query"), Artifact("click")
    _known, queries = numbered(*source.rows(asked), asked, None)
    keys, clicks = numbered(*source.rows(clicked), clicked, None)
    query, url = unpack(keys)
    users = source.log.info.users
    sites = source.parts.sites
    return Holdings(
        for_users(queries.distinct(), users),
        for_users(clicks.distinct(), users),
        query,
        sites.site[url],
        source.parts.words,
        sites.texts,
    )


def pairs_held(source: LogSource, session_minutes: int) -> tuple[Incidence, Ints, Ints]:
    """Who asked which query right after which other: pairs, their first and second query."""
    artifact = Artifact("pair", session_minutes=session_minutes)
    keys, histories = numbered(*source.rows(artifact), artifact, None)
    return for_users(histories.distinct(), source.log.info.users), *unpack(keys)


def for_users(incidence: Incidence, users: int) -> Incidence:
    """With an empty set for everybody after the last who holds anything."""
    missing = np.full(users - incidence.users, incidence.offsets[-1])
    return Incidence(np.append(incidence.offsets, missing), incidence.items, incidence.size)


def follow(held: Incidence, offsets: Ints, targets: Ints, size: int) -> Incidence:
    """Who holds item i holds `targets[offsets[i]:offsets[i + 1]]` (negative ones are left out): the union,
    each once.
    """
    bounds, items = _follow(held.offsets, held.items, offsets, targets.astype(np.int32), size)
    return Incidence(bounds, items, size)


def follow_one(held: Incidence, target: Ints, size: int) -> Incidence:
    """The same with one target, or none (−1), for each item."""
    return follow(held, np.arange(len(target) + 1), target, size)


def beside(parts: list[Incidence]) -> Incidence:
    """Several incidences of the same people as one: items of later parts are numbered after earlier ones."""
    sizes = np.cumsum([0, *(part.size for part in parts)])
    lengths = np.stack([np.diff(part.offsets) for part in parts])
    offsets = np.append(0, np.cumsum(lengths.sum(axis=0)))
    starts = offsets[:-1] + np.cumsum(np.vstack([np.zeros_like(lengths[:1]), lengths[:-1]]), axis=0)
    items = np.empty(int(offsets[-1]), np.int32)
    for part, length, start, before in zip(parts, lengths, starts, sizes, strict=False):
        place = np.repeat(start - part.offsets[:-1], length) + np.arange(len(part.items))
        items[place] = part.items + np.int32(before)
    return Incidence(offsets, items, int(sizes[-1]))


@njit(cache=True)
def _follow(offsets: Any, items: Any, map_offsets: Any, targets: Any, size: int) -> tuple[Any, Any]:
    most = 0
    for item in items:
        most += map_offsets[item + 1] - map_offsets[item]
    found = np.empty(most, np.int32)
    bounds = np.zeros(len(offsets), np.int64)
    seen = np.full(size, -1, np.int32)
    n = 0
    for user in range(len(offsets) - 1):
        start = n
        for place in range(offsets[user], offsets[user + 1]):
            item = items[place]
            for at in range(map_offsets[item], map_offsets[item + 1]):
                target = targets[at]
                if target >= 0 and seen[target] != user:
                    seen[target] = user
                    found[n] = target
                    n += 1
        found[start:n].sort()
        bounds[user + 1] = n
    return bounds, found[:n].copy()
