"""Sessions cut to size and all their subsequences counted: order kept, gaps allowed, at least two queries
(Zhang 2017, §4.2.1.1).

Sequences are nodes of a tree: a node is its parent (the sequence without its last query) and its last query.
So every sequence has a number, and one sort per length counts them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.log.parts import batches
from crowdlog.log.sessions import ends_session
from crowdlog.log.store import LogStore
from crowdlog.progress import Advance, progress_bar
from crowdlog.types import Ints

COLUMNS = ("user", "query", "impression", "gap")
CHUNK = 1 << 20  # events read at once
_USER, _KEPT, _SIZE, _LAST, _DONE = range(5)  # what the kernel remembers between chunks


@dataclass(frozen=True)
class Naming:
    """`query[id]` renames a query; `topic[new id]` then maps it to a topic, −1 for none. None: as it is."""

    query: Ints | None = None
    topic: Ints | None = None


@dataclass(frozen=True)
class Sessions:
    """Row i of `queries` is a session of user `owner[i]`, filled up with −1.

    Sessions of a user follow each other.
    """

    queries: Ints
    owner: Ints

    def __repr__(self) -> str:
        return f"Sessions({len(self.owner)} sessions)"


@dataclass(frozen=True)
class Subsequences:
    """`count` of each sequence.

    Sequence i is node `first + i`; the nodes below `first` are single queries (or topics).
    """

    count: Ints
    parent: Ints
    last: Ints
    first: int

    def __repr__(self) -> str:
        return f"Subsequences({len(self.count)} sequences)"

    def members(self, chosen: Ints) -> list[list[int]]:
        """The queries of each chosen sequence, in order."""
        found = []
        for sequence in chosen.tolist():
            node, queries = sequence + self.first, []
            while node >= self.first:
                queries.append(int(self.last[node - self.first]))
                node = int(self.parent[node - self.first])
            found.append([node, *reversed(queries)])
        return found


@njit(cache=True)
def _cut(user, query, topic, new_session, l_s, l_q, state, sessions, owner):  # type: ignore[no-untyped-def]
    """Append the chunk's impressions to the sessions of their users. state[_DONE] sessions are complete; the
    next row is being filled.
    """
    for i in range(len(user)):
        if user[i] != state[_USER] or new_session[i]:
            if state[_SIZE] >= 2:
                state[_DONE] += 1
                state[_KEPT] += 1
            if user[i] != state[_USER]:
                state[_KEPT] = 0
            state[_USER], state[_SIZE], state[_LAST] = user[i], 0, -1
            sessions[state[_DONE]], owner[state[_DONE]] = -1, user[i]
        same = query[i] == state[_LAST]  # asked again at once: the next page of results
        state[_LAST] = query[i]
        if not same and topic[i] >= 0 and state[_KEPT] < l_s and state[_SIZE] < l_q:
            sessions[state[_DONE], state[_SIZE]] = topic[i]
            state[_SIZE] += 1


def cut_sessions(log: LogStore, minutes: int, l_s: int, l_q: int, naming: Naming) -> Sessions:
    """The first l_q queries of each user's first l_s sessions of at least two queries."""
    with progress_bar("Sessions", log.info.rows) as advance:
        return cut_batches(batches(log.events(), COLUMNS, CHUNK), minutes, l_s, l_q, naming, advance)


def cut_batches(
    rows: Iterable[Any],
    minutes: int,
    l_s: int,
    l_q: int,
    naming: Naming,
    advance: Advance = lambda _rows: None,
) -> Sessions:
    """Cut the sessions of consecutive batches of events; a session may continue in the next batch."""
    state, pieces, owners = np.array([-1, 0, 0, -1, 0], np.int64), [], []
    current, current_owner = np.full((1, l_q), -1, np.int64), np.full(1, -1, np.int64)
    for batch in rows:
        shown = batch.filter(batch.column("impression"))
        query = shown.column("query").to_numpy().astype(np.int64)
        query = query if naming.query is None else naming.query[query]
        topic = query if naming.topic is None else naming.topic[query]
        new_session = ends_session(shown.column("gap").fill_null(0).to_numpy(), minutes)
        sessions = np.concatenate([current, np.full((len(query) // 2 + 1, l_q), -1, np.int64)])
        owner = np.concatenate([current_owner, np.empty(len(sessions) - 1, np.int64)])
        _cut(shown.column("user").to_numpy(), query, topic, new_session, l_s, l_q, state, sessions, owner)
        done = int(state[_DONE])
        pieces.append(sessions[:done].copy())
        owners.append(owner[:done].copy())
        current, current_owner, state[_DONE] = (
            sessions[done : done + 1].copy(),
            owner[done : done + 1].copy(),
            0,
        )
        advance(batch.num_rows)
    last = int(state[_SIZE] >= 2)
    return Sessions(
        np.concatenate([*pieces, current[:last]]), np.concatenate([*owners, current_owner[:last]])
    )


def count_subsequences(found: Sessions, queries: int, *, people: bool = False) -> Subsequences:
    """Count every subsequence of at least two of the queries 0 … queries − 1: how often it occurs, or how
    many people have it.
    """
    sessions, size = found.queries, (found.queries >= 0).sum(axis=1)
    # of each prefix that can be continued: its session, its end, its node
    session = np.repeat(np.arange(len(sessions)), size)
    end = np.concatenate([np.arange(0), *([] if not len(size) else [_counting(size)])])
    node = sessions[session, end]
    counts, parents, lasts, first = [], [], [], queries
    while True:
        more = size[session] - end - 1
        session, node = np.repeat(session, more), np.repeat(node, more)
        end = np.repeat(end, more) + 1 + _counting(more)
        if not len(node):
            break
        keys, place, count = np.unique(
            node * queries + sessions[session, end], return_inverse=True, return_counts=True
        )
        if people:  # how many different owners each sequence has
            count = np.bincount(unpack(np.unique(pack(place, found.owner[session])))[0], minlength=len(keys))
        counts.append(count)
        parents.append(keys // queries)
        lasts.append(keys % queries)
        node, first = first + place, first + len(keys)
    empty = np.zeros(0, np.int64)
    return Subsequences(
        np.concatenate([empty, *counts]),
        np.concatenate([empty, *parents]),
        np.concatenate([empty, *lasts]),
        queries,
    )


def _counting(sizes: Ints) -> Ints:
    """0, 1, …, size − 1 for each size, one after the other."""
    starts = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
