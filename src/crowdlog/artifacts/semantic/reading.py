"""What the semantic methods read of a log: the words of its queries, and who typed each."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numba import njit

from crowdlog.artifacts.semantic.vectors import Ints, Longs
from crowdlog.artifacts.semantic.words import QueryUsers, QueryWords, split_words
from crowdlog.errors import InputError
from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore
from crowdlog.progress import Advance, progress_bar


def read_words(store: LogStore) -> QueryWords:
    """The words of all queries of a log. The rows of the file are the ids in order."""
    words = split_words(pq.read_table(store.queries(), columns=["text"])["text"])
    if not pc.any(pc.not_equal(words.text, pa.scalar("", pa.large_string()))).as_py():
        raise InputError(
            "The log has no query text, so its queries cannot be compared. Import a log with a query column."
        )
    return words


@njit(cache=True)
def _take_users(user: Ints, query: Ints, last: Ints, at: Longs, out: Ints) -> None:
    """Go on to the next place of a query for each new user of it, and note the user there.

    An empty `out`: count only.
    """
    for i in range(len(user)):
        if last[query[i]] != user[i]:
            last[query[i]] = user[i]
            if len(out):
                out[at[query[i]]] = user[i]
            at[query[i]] += 1


def read_query_users(store: LogStore) -> QueryUsers:
    """Two streaming passes over the events, which are sorted by user: a query's users come one after the
    other.
    """

    def take(at: Longs, out: Ints, advance: Advance) -> None:
        last = np.full(len(at), -1, np.int32)
        for batch in batches(store.events(), ["user", "query"]):
            _take_users(batch["user"].to_numpy(), batch["query"].to_numpy(), last, at, out)
            advance(len(batch))

    count = np.zeros(store.info.queries, np.int64)
    with progress_bar("Reading who typed what", 2 * store.info.rows) as advance:
        take(count, np.empty(0, np.int32), advance)
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)])
        users = np.empty(start[-1], np.int32)
        take(start[:-1].copy(), users, advance)
    return QueryUsers(start, users, store.info.users)
