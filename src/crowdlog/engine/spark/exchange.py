"""Messages between tasks: each is for a task by its number. Spark moves them without looking into them.

Java takes each byte through sockets, files and encryption, which costs more than to write it shorter before.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from crowdlog.types import Ints

Sent = tuple[int, Any]  # the task that a message is for, and the message
_SHORT = 1 << 10  # bytes that are sent as they are
_CODEC: Literal["zstd"] = "zstd"  # at its first level: a third of the bytes, at 500 MB a second


class Packed(NamedTuple):
    """A message as Java moves it. `size`: of what is unpacked; 0: it was not packed."""

    kind: type
    size: int
    data: bytes


def pack(message: Any) -> Packed:
    """A message that is handed on as it came is packed already."""
    if isinstance(message, Packed):
        return message
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    if len(data) < _SHORT:
        return Packed(type(message), 0, data)
    return Packed(type(message), len(data), pa.compress(data, codec=_CODEC, asbytes=True))


def unpack(message: Packed) -> Any:
    """What our own tasks packed, in this session."""
    data: Any = message.data
    if message.size:
        data = pa.decompress(data, message.size, codec=_CODEC)
    return pickle.loads(data)  # noqa: S301


def exchange(messages: Any, tasks: int) -> Any:
    return sent(messages, tasks).mapValues(unpack)


def sent(messages: Any, tasks: int) -> Any:
    """An exchange whose messages stay packed: for steps that need some kinds of them only."""
    return messages.mapValues(pack).partitionBy(tasks, int)


def received(messages: Any, *kinds: type) -> Any:
    """Those of these kinds."""
    return messages.filter(partial(_is_of, kinds)).mapValues(unpack)


def _is_of(kinds: tuple[type, ...], message: tuple[int, Packed]) -> bool:
    return message[1].kind in kinds


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
