"""What the semantic methods read of a log: the words of its queries, and who typed each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numba import njit

from crowdlog.artifacts.semantic.vectors import Ints, Longs
from crowdlog.artifacts.semantic.words import QueryUsers, Words, split_words
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore


def read_words(store: LogStore) -> Words:
    """The words of all queries of a log. The rows of the file are the ids in order."""
    words = split_words(pq.read_table(store.queries(), columns=["text"])["text"])
    if not pc.any(pc.not_equal(words.text, pa.scalar("", pa.large_string()))).as_py():
        raise InputError("The log has no query text, so its queries cannot be compared. Import a log with a query column.")
    return words


@njit(cache=True)
def _count_pairs(user: Ints, query: Ints, last: Ints, count: Longs) -> None:
    for i in range(len(user)):
        if last[query[i]] != user[i]:
            last[query[i]] = user[i]
            count[query[i]] += 1


@njit(cache=True)
def _place_pairs(user: Ints, query: Ints, last: Ints, at: Longs, out: Ints) -> None:
    for i in range(len(user)):
        if last[query[i]] != user[i]:
            last[query[i]] = user[i]
            out[at[query[i]]] = user[i]
            at[query[i]] += 1


def read_query_users(store: LogStore) -> QueryUsers:
    """Two streaming passes over the events, which are sorted by user: a query's users come one after the other."""
    file, queries = pq.ParquetFile(store.events()), store.info.queries
    count, last = np.zeros(queries, np.int64), np.full(queries, -1, np.int32)
    for batch in file.iter_batches(columns=["user", "query"]):
        _count_pairs(batch["user"].to_numpy(), batch["query"].to_numpy(), last, count)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)])
    at, out = start[:-1].copy(), np.empty(start[-1], np.int32)
    last[:] = -1
    for batch in file.iter_batches(columns=["user", "query"]):
        _place_pairs(batch["user"].to_numpy(), batch["query"].to_numpy(), last, at, out)
    return QueryUsers(start, out, store.info.users)
