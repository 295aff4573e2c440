"""`crowdlog show` where the data are: the figures of `log/summary.py`, block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.engine.spark.blocks import StoreBlock, store_blocks
from crowdlog.engine.spark.exchange import Sent, by_share, exchange
from crowdlog.engine.spark.failures import told_plainly
from crowdlog.engine.spark.in_task import EVENTS, numbers, run_sql
from crowdlog.log.parts import Place, opened_part, part_files
from crowdlog.log.summary import (
    CLICKED,
    QUERIES,
    SESSIONS,
    USERS_OF_QUERY,
    WORDS,
    Figures,
    Summary,
    per_user,
    summary_of,
)

if TYPE_CHECKING:  # tasks load this file, and need no engine
    from crowdlog.engine.spark.connection import SparkEngine

ROWS = 1 << 21  # about so many for each task
_COLUMNS = ("user", "query", "impression", "url", "nth_impression", "gap")


def summarise_there(engine: SparkEngine) -> Summary:
    blocks = store_blocks(engine.log.there("events.parquet"), ROWS)
    context = engine.context
    with told_plainly("The counting", "Nothing was written."):
        there = context.parallelize(blocks, len(blocks))
        clicked, queries, sessions = there.map(_of_users).reduce(_added)
        ranges = exchange(there.flatMap(partial(_users_of_queries, engine.parts)), engine.parts)
        single = ranges.mapPartitions(_single).sum()
        words = words_there(engine)
    return summary_of(engine.log, Figures(clicked, int(single), dict(queries), dict(sessions), dict(words)))


def words_there(engine: SparkEngine) -> Counter[int]:
    """How many distinct queries have each number of words."""
    texts = part_files(engine.log.there("queries.parquet"))
    each = engine.context.parallelize(texts, len(texts)).map(_words)
    found: Counter[int] = each.reduce(lambda one, other: one + other)
    return found


def _of_users(block: StoreBlock) -> tuple[int, Counter[int], Counter[int]]:
    events = {EVENTS: block.read(_COLUMNS)}
    clicked = run_sql(f"SELECT count(*) AS n FROM ({CLICKED})", events)["n"][0].as_py()
    return clicked, *(_counter(run_sql(per_user(number), events)) for number in (QUERIES, SESSIONS))


def _added(one: tuple[int, Any, Any], other: tuple[int, Any, Any]) -> tuple[int, Any, Any]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _counter(table: pa.Table) -> Counter[int]:
    names, counts = (column.to_pylist() for column in table.columns)
    pairs: Any = zip(names, counts, strict=True)
    return Counter(dict(pairs))


def _users_of_queries(shares: int, block: StoreBlock) -> Iterator[Sent]:
    table = run_sql(USERS_OF_QUERY, {EVENTS: block.read(("user", "query"))})
    key, low, high = numbers(table, "key", "low", "high")
    for share, mine in by_share(key, shares):
        yield share, (key[mine], low[mine], high[mine])


def _single(messages: Iterator[Sent]) -> Iterator[int]:
    """How many queries of a share have one user alone."""
    found = [message for _share, message in messages]
    if not found:
        return
    key, low, high = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    least, most = np.minimum.reduceat(low[order], begins), np.maximum.reduceat(high[order], begins)
    yield int((least == most).sum())


def _words(part: Place) -> Counter[int]:
    with opened_part(part) as file:
        each = [_counter(run_sql(WORDS, {"queries": pa.table(batch)})) for batch in _batches(file)]
    return sum(each, Counter())


def _batches(file: pq.ParquetFile) -> Iterator[Any]:
    for batch in file.iter_batches(1 << 18, columns=["text"]):
        yield pa.Table.from_batches([batch])
