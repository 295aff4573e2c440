"""Tables that are chosen by counts: counted, chosen and given noise where the counts are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.plan.decide import Kept, TableCounts, by_counts
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.types import Ints

KEPT = "key long, count long"


def decide_there(
    counted: Any, plan: TablePlan, owners: list[str], shown: Ints | None, randomness: KeyedRandomness
) -> Kept:
    """`counted`: a data frame of key, impressions, users and the columns `owners`. The same decision as on
    one machine, some keys at a time: each has noise of its own, whichever task draws it.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            key, impressions, users, *owned = (
                batch.column(name).to_numpy() for name in ("key", "impressions", "users", *owners)
            )
            found = TableCounts(key, impressions, users, tuple(owned))
            kept = by_counts(plan, found if shown is None else found.owned_by(shown), randomness)
            yield pa.record_batch({"key": kept.key, "count": kept.count})

    return collected(counted.mapInArrow(run, KEPT))


def collected(frame: Any) -> Kept:
    """What may be seen comes to the driver."""
    table = frame.toArrow()
    key, count = (table[name].to_numpy().astype(np.int64) for name in ("key", "count"))
    order = np.argsort(key, kind="stable")
    return Kept(key[order], count[order])
