"""Texts as two arrays, which tasks send as they are; and the spreading of texts over tasks by a hash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit

from crowdlog.log.columns import Texts
from crowdlog.log.encode import Dictionary
from crowdlog.log.encode import _hash as hash_of
from crowdlog.types import Bytes, Ints

_SEED = 0x5EED  # anybody may know which task gets a text
_SEEDS = (1, 2)  # of the sums that a store is recognised by


class PackedTexts(NamedTuple):
    """`data` holds the texts one after the other; `size` is that of each."""

    data: Bytes
    size: Ints

    @property
    def starts(self) -> Ints:
        return np.cumsum(self.size, dtype=np.int64) - self.size

    def as_texts(self) -> Texts:
        return Texts(self.data, self.starts, self.size.astype(np.int64))

    def part(self, low: int, high: int) -> PackedTexts:
        starts = np.append(self.starts, len(self.data))
        return PackedTexts(self.data[starts[low] : starts[high]], self.size[low:high])

    def as_arrow(self, low: int, high: int) -> pa.StringArray:
        packed = self.part(low, high)
        offsets = np.zeros(high - low + 1, np.int32)
        np.cumsum(packed.size, out=offsets[1:])
        data = np.ascontiguousarray(packed.data)
        return pa.StringArray.from_buffers(high - low, pa.py_buffer(offsets.data), pa.py_buffer(data.data))


@njit(cache=True, nogil=True)
def _tasks(data: Bytes, ends: Ints, count: int, tasks: int, seed: int) -> Ints:
    found = np.empty(count, np.int64)
    for i in range(count):
        mixed = hash_of(data, ends[i], ends[i + 1] - ends[i], seed)
        found[i] = np.int64((mixed >> np.uint64(16)) % np.uint64(tasks))
    return found


@njit(cache=True, nogil=True)
def _gather(data: Bytes, start: Ints, size: Ints, order: Ints, out: Bytes) -> None:
    at = 0
    for i in order:
        for k in range(start[i], start[i] + size[i]):
            out[at] = data[k]
            at += 1


@njit(cache=True, nogil=True)
def _sum(data: Bytes, start: Ints, size: Ints, first: int, seed: int) -> np.uint64:
    total = np.uint64(0)
    for i in range(len(start)):
        mixed = hash_of(data, start[i], size[i], seed) ^ np.uint64(first + i)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        total += mixed ^ (mixed >> np.uint64(32))
    return total


def ordered(texts: PackedTexts, order: Ints) -> PackedTexts:
    """The texts at these places, in this order."""
    size = texts.size[order]
    out = np.empty(int(size.sum(dtype=np.int64)), np.uint8)
    _gather(texts.data, texts.starts, texts.size.astype(np.int64), order, out)
    return PackedTexts(out, size)


def packed(texts: Dictionary) -> PackedTexts:
    data, offsets = texts.slice(0, len(texts))
    return PackedTexts(data, np.diff(offsets).astype(np.int32))


def concatenated(many: Sequence[PackedTexts]) -> PackedTexts:
    data = [np.zeros(0, np.uint8), *(each.data for each in many)]
    size: list[Any] = [np.zeros(0, np.int32), *(each.size for each in many)]
    return PackedTexts(np.concatenate(data), np.concatenate(size))


def by_task(texts: Dictionary, tasks: int) -> Iterator[tuple[int, Ints, PackedTexts]]:
    """For each task the texts that it numbers, by rising numbers of the dictionary."""
    data, offsets = texts.slice(0, len(texts))
    task = _tasks(data, offsets, len(texts), tasks, _SEED)
    order = np.argsort(task, kind="stable")
    whole = ordered(PackedTexts(data, np.diff(offsets).astype(np.int32)), order)
    ends = np.cumsum(np.bincount(task, minlength=tasks))
    starts = np.append(whole.starts, len(whole.data))
    for number, (low, high) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
        if high > low:
            mine = PackedTexts(whole.data[starts[low] : starts[high]], whole.size[low:high])
            yield number, order[low:high].astype(np.int32), mine


def text_sums(texts: PackedTexts, first: int) -> tuple[int, ...]:
    """Sums of hashes of each text and its id, by which equal tables are recognised however they are cut."""
    size = texts.size.astype(np.int64)
    return tuple(int(_sum(texts.data, texts.starts, size, first, seed)) for seed in _SEEDS)
