"""The log's own counts beside published keys: what a measure of coverage asks for. The driver gets the
published keys that the log has, and for each number how many keys have it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow.compute as pc

from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.count import counts_per_key
from crowdlog.engine.mine import mine
from crowdlog.engine.spark.blocks import store_blocks
from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.engine.spark.deciding import joined_counts
from crowdlog.engine.spark.exchange import exchange
from crowdlog.engine.spark.failures import told_plainly
from crowdlog.engine.spark.in_task import Statement, counts_by_share, merged, unbound_events
from crowdlog.engine.spark.summary import ROWS, words_there
from crowdlog.log.parts import Place, opened_part, part_files
from crowdlog.plan.decide import TableCounts
from crowdlog.types import Ints

_WORK = "The counting"


@dataclass(frozen=True)
class RealCounts:
    """`found`: the published keys that the log has. `by_impressions`, `by_users`: how many keys of the log
    have each number of them.
    """

    found: TableCounts
    by_impressions: dict[float, int]
    by_users: dict[float, int]


def counts_beside(engine: SparkEngine, artifact: Artifact, published: Ints) -> RealCounts:
    events = unbound_events(engine.log)
    blocks = store_blocks(engine.log.there("events.parquet"), ROWS)
    statement = Statement.of(counts_per_key(mine(events, artifact)), events)
    count = partial(counts_by_share, statement, engine.parts)
    with told_plainly(_WORK, "Nothing was written."):
        each = engine.context.parallelize(blocks, len(blocks)).flatMap(count)
        there = exchange(each, engine.parts).mapPartitions(merged).map(partial(_beside, published)).collect()
    found = joined_counts([share[0] for share in there])
    tallies = [sum((share[number] for share in there), Counter[float]()) for number in (1, 2)]
    return RealCounts(found, dict(tallies[0]), dict(tallies[1]))


def _beside(published: Ints, share: TableCounts) -> tuple[TableCounts, Counter[float], Counter[float]]:
    kept = np.flatnonzero(np.isin(share.key, published))
    found = TableCounts(share.key[kept], share.impressions[kept], share.users[kept])
    return found, _tally(share.impressions), _tally(share.users)


def _tally(numbers: Ints) -> Counter[float]:
    values, often = np.unique(numbers, return_counts=True)
    pairs: Any = zip(values.tolist(), often.tolist(), strict=True)
    return Counter(dict(pairs))


def words_of_queries(engine: SparkEngine) -> Ints:
    """How many distinct queries have 1, 2, … words, five and more together."""
    with told_plainly(_WORK, "Nothing was written."):
        words = words_there(engine)
    return np.array([words.get(number, 0) for number in range(1, 6)], np.int64)


def ids_of(engine: SparkEngine, table: Place, texts: Any) -> Ints:
    """The id of each of these published texts in a table of texts, −1 for those that are not there."""
    files = part_files(table)
    with told_plainly(_WORK, "Nothing was written."):
        each = engine.context.parallelize(files, len(files)).map(partial(_found, texts))
        found = each.collect()
    ids = np.full(len(texts), -1, np.int64)
    for places, known in found:
        ids[places] = known
    return ids


def _found(texts: Any, part: Place) -> tuple[Ints, Ints]:
    places, ids = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    with opened_part(part) as file:
        for batch in file.iter_batches(1 << 18):
            place = pc.index_in(batch.column("text"), value_set=texts)
            there = np.flatnonzero(place.is_valid().to_numpy(zero_copy_only=False))
            places.append(place.drop_null().to_numpy().astype(np.int64))
            ids.append(batch.column("id").to_numpy()[there].astype(np.int64))
    return np.concatenate(places), np.concatenate(ids)
