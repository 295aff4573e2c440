"""Lines of a server's log that are no searches: passed over, and told as a number by the format's reader."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from crowdlog.log.columns import Batch
from crowdlog.log.rejects import SCRUBBED


def only_searches(batches: Iterator[Batch]) -> Iterator[Batch]:
    """The rows whose reason is not SCRUBBED, by which readers mark what is no search."""
    for batch in batches:
        kept = np.flatnonzero(batch.reason != SCRUBBED)
        if len(kept):
            columns = tuple(column.take(kept) for column in batch.columns)
            yield Batch(columns, batch.line[kept], batch.reason[kept], partial(_raw, batch, kept.tolist()))


def _raw(batch: Batch, kept: list[int], i: int) -> bytes:
    return batch.raw(kept[i])
