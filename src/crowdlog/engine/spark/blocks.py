"""Users in blocks, one for each task: their histories as arrays inside one row of a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.privacy.histories import Histories
from crowdlog.types import Ints

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class UserBlock:
    """`users[u]` is who user u is in the log; `keys[i]` which key item i is. `size`: of each user in the
    whole release; `inside[i]`: whether item i is on the list that the selection favours.
    """

    users: Ints
    keys: Ints
    histories: Histories
    sizes: Ints
    inside: Any


def read_block(batches: Batches) -> UserBlock | None:
    """All rows of a task: user, key and, where the plan asks for them, size and inside."""
    table = pa.Table.from_batches(list(batches))
    if not table.num_rows:
        return None
    users, user = np.unique(table["user"].to_numpy(), return_inverse=True)
    keys, item = np.unique(table["key"].to_numpy(), return_inverse=True)
    sizes, inside = np.zeros(len(users), np.int64), np.ones(len(keys), bool)
    if "size" in table.column_names:
        sizes[user] = table["size"].to_numpy()
    if "inside" in table.column_names:
        inside[item] = table["inside"].to_numpy()
    return UserBlock(users, keys, Histories.from_rows(user, item, len(keys)), sizes, inside)


def by_user(
    frame: Any, parts: int, work: Callable[[UserBlock], Iterator[pa.RecordBatch]], schema: str
) -> Any:
    """The work done for each block of users; all rows of a user are in one block."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        first = next(batches, None)
        block = None if first is None else read_block(_again(first, batches))
        if block is not None:
            yield from work(block)

    return frame.repartition(parts, "user").mapInArrow(run, schema)


def _again(first: pa.RecordBatch, rest: Batches) -> Batches:
    yield first
    yield from rest
