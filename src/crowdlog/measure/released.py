"""Reading a release's tables into the shared numbering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.packed_keys import pack
from crowdlog.errors import InputError
from crowdlog.measure.log_arrays import rows_of_table
from crowdlog.measure.tables import KeyCounts, Tables, count_keys, tables_of, transitions
from crowdlog.measure.vocabulary import TextIds, Vocabulary, compute
from crowdlog.release.folder import Release


def read_release(release: Release, vocabulary: Vocabulary, session_minutes: int) -> Tables:
    """All tables of a release as numbered keys. A release of rows is counted like a log."""
    names = ("events", "queries", "clicks", "pairs", "sessions", "query_sites")
    tables = {name: table for name in names if (table := release.table(name)) is not None}
    if not sum(table.num_rows for table in tables.values()):
        why = "it publishes no query, click, pair or session, so there is nothing to measure"
        raise InputError(f"{release.path} is empty: {why}.")
    return read_tables(tables, vocabulary, session_minutes)


def read_tables(tables: Mapping[str, Any], vocabulary: Vocabulary, session_minutes: int) -> Tables:
    """Published tables, by name, as numbered keys."""
    events = tables.get("events")
    if events is not None and events.num_rows:
        return tables_of(rows_of_table(events, vocabulary, session_minutes))
    queries, clicks, pairs, sessions = (
        tables.get(name) for name in ("queries", "clicks", "pairs", "sessions")
    )
    q, u = vocabulary.queries, vocabulary.urls
    followed = _summed(pairs, lambda t: pack(q.ids(t["query"]), q.ids(t["next_query"])))
    flow, sequences = (followed, None) if sessions is None else _sequences(sessions, q)
    return Tables(
        queries=_summed(queries, lambda t: q.ids(t["query"])),
        clicks=_summed(clicks, lambda t: pack(q.ids(t["query"]), u.ids(t["url"]))),
        pairs=followed,
        flow=flow,
        sequences=sequences,
        query_sites=_summed(tables.get("query_sites"), lambda t: pack(q.ids(t["query"]), u.ids(t["site"]))),
    )


def _summed(table: Any, key: Any) -> KeyCounts | None:
    if table is None:
        return None
    return count_keys(key(table), table["count"].to_numpy().astype(np.float64))


def _sequences(sessions: Any, queries: TextIds) -> tuple[KeyCounts, KeyCounts]:
    """Every query with every later one of its sequence (Zhang 2017, §4.3.1.2), and the sequences of two."""
    lists = sessions["sequence"].combine_chunks()
    query, count = queries.ids(lists.flatten()), sessions["count"].to_numpy().astype(np.float64)
    length = compute.list_value_length(lists).to_numpy(zero_copy_only=False)
    row = np.repeat(np.arange(len(length)), length)
    keys, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
    for first, second in transitions(query, row, int(length.max(initial=1))):
        keys.append(pack(query[first], query[second]))
        weights.append(count[row[first]])
    two = np.flatnonzero(length == 2)
    start = np.cumsum(length)[two] - 2
    flow = count_keys(np.concatenate(keys), np.concatenate(weights))
    return flow, count_keys(pack(query[start], query[start + 1]), count[two])


def shown_queries(tables: Mapping[str, Any]) -> Any:
    """Every query text that some table shows, once."""
    found = [pa.array([], pa.string())]
    for table in tables.values():
        there = table.column_names
        found += [table[name].combine_chunks() for name in ("query", "next_query") if name in there]
        found += [table["sequence"].combine_chunks().flatten()] if "sequence" in there else []
    return pa.concat_arrays([texts.cast(pa.string()) for texts in found]).unique()
