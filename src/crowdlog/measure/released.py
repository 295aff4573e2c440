"""Reading a release's tables into the shared numbering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.errors import InputError
from crowdlog.measure.key_counts import KeyCounts, count_keys
from crowdlog.measure.log_arrays import rows_of_table
from crowdlog.measure.tables import Tables, tables_of
from crowdlog.measure.vocabulary import compute

if TYPE_CHECKING:
    from crowdlog.measure.vocabulary import Vocabulary
    from crowdlog.release.folder import Release


def read_release(release: Release, vocabulary: Vocabulary, session_minutes: int) -> Tables:
    """All tables of a release as numbered keys. A release of rows (unsafe mechanisms) is counted like a log."""
    events = release.table("events")
    if events is not None and events.num_rows:
        return tables_of(rows_of_table(events, vocabulary, session_minutes))
    queries, clicks, pairs, sessions = release.queries(), release.clicks(), release.pairs(), release.sessions()
    if not sum(table.num_rows for table in (queries, clicks, pairs, sessions) if table is not None):
        raise InputError(f"{release.path} is empty: it publishes no query, click, pair or session, so there is nothing to measure.")
    q, u = vocabulary.queries, vocabulary.urls
    followed = _summed(pairs, lambda t: pack(q.ids(t["query"]), q.ids(t["next_query"])))
    sequences = None if sessions is None else _Sequences(sessions, vocabulary)
    return Tables(
        queries=_summed(queries, lambda t: q.ids(t["query"])),
        clicks=_summed(clicks, lambda t: pack(q.ids(t["query"]), u.ids(t["url"]))),
        pairs=followed,
        flow=sequences.transitions() if sequences else followed,
        sequences=sequences.of_two() if sequences else None,
    )


def _summed(table: Any, key: Any) -> KeyCounts | None:
    if table is None:
        return None
    return count_keys(key(table), table["count"].to_numpy().astype(np.float64))


class _Sequences:
    """The table of sessions: lists of queries, each with its count."""

    def __init__(self, sessions: Any, vocabulary: Vocabulary) -> None:
        lists = sessions["sequence"].combine_chunks()
        self._query = vocabulary.queries.ids(lists.flatten())
        self._length = compute.list_value_length(lists).to_numpy(zero_copy_only=False)
        self._row = np.repeat(np.arange(len(self._length)), self._length)
        self._count = sessions["count"].to_numpy().astype(np.float64)

    def transitions(self) -> KeyCounts:
        """Every query with every later one of its sequence (Zhang 2017, §4.3.1.2)."""
        query, row = self._query, self._row
        keys, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for distance in range(1, int(self._length.max(initial=1))):
            same = (row[:-distance] == row[distance:]) & (query[:-distance] != query[distance:])
            keys.append(pack(query[:-distance][same], query[distance:][same]))
            weights.append(self._count[row[:-distance][same]])
        return count_keys(np.concatenate(keys), np.concatenate(weights))

    def of_two(self) -> KeyCounts:
        """The sequences of two queries."""
        two = np.flatnonzero(self._length == 2)
        start = np.cumsum(self._length)[two] - 2
        return count_keys(pack(self._query[start], self._query[start + 1]), self._count[two])
