"""What each person holds: queries and clicked (query, URL) pairs as sets, and what follows from them (words,
sites, shown keys) by a map from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.parts import Sites, Words
from crowdlog.engine.log_source import LogSource
from crowdlog.engine.searches import LogRows, read_rows
from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Ints

SHORT_LIST = 24  # items
# Items a person may lead to, times the mean of all items: queries that many ask are short, so that she leads
# to fewer. Memory that is not written to is not taken.
ROOM = 1.2
# Arrays as long as the log are made by numpy and filled by compiled loops: numpy asks for large pages, of
# which a loop's own arrays get none. Giving out small ones took longer than some of the loops.


@dataclass(frozen=True)
class Holdings:
    """`rows`: searches and clicks. `queries`: who holds which query ids. `words` are those of each query,
    `sites` those of each URL.
    """

    rows: LogRows
    queries: Incidence
    words: Words
    sites: Sites

    def click_sites(self) -> Any:
        """The site of each click."""
        return self.sites.site[self.rows.click_url]

    def __repr__(self) -> str:
        return f"Holdings({self.queries.users} people)"


def holdings(source: LogSource, session_minutes: int = SESSION_MINUTES) -> Holdings:
    """Read once for all steps."""
    rows = read_rows(source, session_minutes)
    items = np.empty(len(rows.query), np.int32)
    offsets = _sorted_sets(rows.starts, rows.query, items)
    queries = Incidence(offsets, items[: offsets[-1]], source.names)
    return Holdings(rows, queries, source.parts.words, source.parts.sites)


def pairs_held(rows: LogRows, shown: Any) -> tuple[Ints, Ints, Ints]:
    """Who asked which shown query right after which other in a session: where the pairs of each person begin,
    and the places of both queries among the shown. `shown`: of each query, −1 if it is not.
    """
    starts, one, other = _pairs(rows.starts, rows.query, rows.follows, shown)
    return starts, one, other


def follow(held: Incidence, offsets: Ints, targets: Any, size: int) -> Incidence:
    """Who holds item i holds `targets[offsets[i]:offsets[i + 1]]` (negative ones are left out): the union,
    each once.
    """
    targets, bounds = _small(targets), np.zeros(held.users + 1, np.int64)
    found = np.empty(int(ROOM * len(held.items) * len(targets) / max(held.size, 1)) + 1, np.int32)
    seen, done = np.full(size, -1, np.int32), 0
    while (
        done := _follow(held.offsets, held.items, offsets, targets, done, seen, bounds, found)
    ) < held.users:
        found = np.concatenate([found, np.empty(len(found), np.int32)])
    return Incidence(bounds, found[: bounds[-1]], size)


def follow_one(held: Incidence, target: Any, size: int) -> Incidence:
    """Like `follow`, where every item leads to at most one target; −1 means that it leads to none."""
    found = np.empty(len(held.items), np.int32)
    bounds = _follow_one(held.offsets, held.items, _small(target), np.full(size, -1, np.int32), found)
    return Incidence(bounds, found[: bounds[-1]], size)


def sets_of(starts: Ints, targets: Any, size: int) -> Incidence:
    """Who has which of `targets[starts[u]:starts[u + 1]]`, each once; negative ones are left out."""
    found = np.empty(len(targets), np.int32)
    bounds = _sets(starts, _small(targets), np.full(size, -1, np.int32), found)
    return Incidence(bounds, found[: bounds[-1]], size)


def _small(numbers: Any) -> Any:
    """The numbers as int32: with tens of millions of them, int64 would take twice the memory."""
    return numbers.astype(np.int32, copy=False)


def beside(parts: list[Incidence]) -> Incidence:
    """Several incidences of the same people as one: items of later parts are numbered after earlier ones."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.cumsum([0, *(part.size for part in parts)])
    lengths = np.stack([np.diff(part.offsets) for part in parts])
    offsets = np.append(0, np.cumsum(lengths.sum(axis=0)))
    starts, items = offsets[:-1].copy(), np.empty(int(offsets[-1]), np.int32)
    for part, length, before in zip(parts, lengths, sizes, strict=False):
        _put(part.offsets, part.items, np.int32(before), starts, items)
        starts += length
    return Incidence(offsets, items, int(sizes[-1]))


@njit(cache=True)
def _follow(
    offsets: Any, items: Any, map_offsets: Any, targets: Any, first: int, seen: Any, bounds: Any, found: Any
) -> int:
    """From user `first` on, until there is no room for what the next one may have: her number."""
    n = bounds[first]
    for user in range(first, len(offsets) - 1):
        start = most = n
        for place in range(offsets[user], offsets[user + 1]):
            most += map_offsets[items[place] + 1] - map_offsets[items[place]]
        if most > len(found):
            return user
        for place in range(offsets[user], offsets[user + 1]):
            item = items[place]
            for at in range(map_offsets[item], map_offsets[item + 1]):
                n = _add(targets[at], user, seen, found, n)
        _sort(found, start, n)
        bounds[user + 1] = n
    return len(offsets) - 1


@njit(cache=True)
def _follow_one(offsets: Any, items: Any, target: Any, seen: Any, found: Any) -> Any:
    bounds = np.zeros(len(offsets), np.int64)
    n = 0
    for user in range(len(offsets) - 1):
        start = n
        for place in range(offsets[user], offsets[user + 1]):
            n = _add(target[items[place]], user, seen, found, n)
        _sort(found, start, n)
        bounds[user + 1] = n
    return bounds


@njit(cache=True)
def _sets(starts: Any, targets: Any, seen: Any, found: Any) -> Any:
    bounds = np.zeros(len(starts), np.int64)
    n = 0
    for user in range(len(starts) - 1):
        start = n
        for place in range(starts[user], starts[user + 1]):
            n = _add(targets[place], user, seen, found, n)
        _sort(found, start, n)
        bounds[user + 1] = n
    return bounds


@njit(cache=True)
def _add(target: int, user: int, seen: Any, found: Any, n: int) -> int:
    """Put a target behind the n that were found, unless it is none or this user has it; return how many."""
    if target < 0 or seen[target] == user:
        return n
    seen[target] = user
    found[n] = target
    return n + 1


@njit(cache=True)
def _sort(items: Any, begin: int, end: int) -> None:
    """In rising order, where they lie: short lists by insertion, which they mostly are."""
    if end - begin > SHORT_LIST:
        items[begin:end].sort()
        return
    for place in range(begin + 1, end):
        item, at = items[place], place
        while at > begin and items[at - 1] > item:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item


@njit(cache=True)
def _sorted_sets(starts: Any, items: Any, found: Any) -> Any:
    """Each user's items in rising order, each once."""
    bounds = np.zeros(len(starts), np.int64)
    n = 0
    for user in range(len(starts) - 1):
        begin = n
        for place in range(starts[user], starts[user + 1]):
            found[n] = items[place]
            n += 1
        _sort(found, begin, n)
        end, n = n, begin
        for place in range(begin, end):
            if place == begin or found[place] != found[n - 1]:
                found[n] = found[place]
                n += 1
        bounds[user + 1] = n
    return bounds


@njit(cache=True)
def _pairs(starts: Any, query: Any, follows: Any, shown: Any) -> tuple[Any, Any, Any]:
    bounds = np.zeros(len(starts), np.int64)
    one, other = np.empty(len(query), np.int64), np.empty(len(query), np.int64)
    n = 0
    for user in range(len(starts) - 1):
        for at in range(starts[user] + 1, starts[user + 1]):
            first, second = shown[query[at - 1]], shown[query[at]]
            if first >= 0 and second >= 0 and first != second and follows[at]:
                one[n], other[n] = first, second
                n += 1
        bounds[user + 1] = n
    return bounds, one[:n].copy(), other[:n].copy()


@njit(cache=True)
def _put(offsets: Any, items: Any, before: Any, starts: Any, whole: Any) -> None:
    """Write each user's items, numbered from `before`, to where hers start."""
    for user in range(len(offsets) - 1):
        for place in range(offsets[user], offsets[user + 1]):
            whole[starts[user] + place - offsets[user]] = items[place] + before
