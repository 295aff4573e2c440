"""Messages between tasks: each is for a task by its number. Spark moves them without looking into them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from crowdlog.types import Ints

Sent = tuple[int, Any]  # the task that a message is for, and the message


def exchange(messages: Any, tasks: int) -> Any:
    return messages.partitionBy(tasks, int)


def gathered(messages: Any) -> Any:
    """All messages of a task as one list, so that two exchanges can stand side by side."""
    return messages.mapPartitions(_listed)


def _listed(messages: Iterator[Sent]) -> Iterator[list[Any]]:
    yield [message for _task, message in messages]


def share_of(keys: Ints, shares: int) -> Any:
    """Which share of the keys each belongs to: spread well, whatever the keys are."""
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(shares)).astype(np.uint16)


def by_share(keys: Ints, shares: int) -> Iterator[tuple[int, Ints]]:
    """For each share the places of its keys, rising."""
    share = share_of(keys, shares)
    order = np.argsort(share, kind="stable")
    ends = np.cumsum(np.bincount(share, minlength=shares)).tolist()
    for number, (low, high) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if high > low:
            yield number, order[low:high]
