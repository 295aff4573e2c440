"""Slices of text as numbers, equal slices the same, in the order in which they are first seen: a hash table
in compiled loops, because there are tens of millions of words.

Any slices of the same bytes are equal: hashes only say where to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit

EMPTY = -1
BLANK = ord(" ")
FIRST_SLOTS = 1 << 12  # a power of two
SHORT, BYTE = 7, np.uint64(8)  # bytes that fit into a key with their number; bits
LONG = 0xFF  # in place of that number
PRIME = np.uint64(0x9E3779B97F4A7C15)
LARGEST = (1 << 31) - 1  # bytes of all texts: offsets of Arrow's strings have 32 bits


class SliceNumbers:
    """Gives numbers to slices, batch by batch."""

    def __init__(self) -> None:
        self._slots = np.full(FIRST_SLOTS, EMPTY, np.int32)
        self._keys = np.empty(FIRST_SLOTS, np.uint64)
        self._data, self._ends = np.empty(1 << 16, np.uint8), np.zeros(FIRST_SLOTS, np.int64)
        self._count = 0

    @classmethod
    def of(cls, texts: Sequence[str]) -> SliceNumbers:
        """Different texts: the number of each is its place."""
        found = cls()
        data, offsets = text_bytes(pa.array(texts, pa.string()))
        found.number(data, offsets[:-1], offsets[1:])
        if found._count != len(texts):
            raise ValueError("a text is there twice")
        return found

    @property
    def table(self) -> tuple[Any, Any, Any, Any]:
        """The hash table as the four arrays that `find_slice` reads."""
        return self._slots, self._keys, self._data, self._ends

    def number(self, data: Any, begins: Any, ends: Any) -> Any:
        """The numbers of `data[begins[i]:ends[i]]`."""
        numbers = np.empty(len(begins), np.int32)
        done = 0
        while True:
            done, self._count = _fill(
                data,
                begins,
                ends,
                done,
                numbers,
                self._slots,
                self._keys,
                self._data,
                self._ends,
                self._count,
            )
            if done == len(begins):
                return numbers
            self._grow(int(ends[done] - begins[done]))

    def _grow(self, more: int) -> None:
        """Make room for another text of so many bytes, in tables twice as large where they are full."""
        used = int(self._ends[self._count])
        if used + more > LARGEST:
            raise ValueError("the different words or sites of this log are too long for one table")
        if used + more > len(self._data):
            self._data = np.concatenate([self._data, np.empty(len(self._data) + more, np.uint8)])
        if _full(self._count, self._slots):
            self._slots = np.full(2 * len(self._slots), EMPTY, np.int32)
            self._keys = np.concatenate([self._keys, np.empty_like(self._keys)])
            self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
            _place_again(self._slots, self._keys, self._count)

    def texts(self) -> pa.StringArray:
        """The text of each number."""
        offsets: Any = self._ends[: self._count + 1].astype(np.int32)
        data: Any = self._data[: int(offsets[-1])].copy()
        return pa.StringArray.from_buffers(self._count, pa.py_buffer(offsets), pa.py_buffer(data))

    def __repr__(self) -> str:
        return f"SliceNumbers({self._count})"


def text_bytes(texts: Any) -> tuple[Any, Any]:
    """The bytes of an array of strings, and where each text begins in them, and where the last one ends."""
    if not len(texts):
        return np.zeros(0, np.uint8), np.zeros(1, np.int32)
    if texts.type != pa.string():
        texts = texts.cast(pa.string())
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    return np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8), offsets


@njit(cache=True)
def split(data: Any, offsets: Any, sizes: Any, begins: Any, ends: Any) -> int:
    """Write how many words each text has, and where each word begins and ends; how many there are."""
    n = 0
    for text in range(len(sizes)):
        inside, sizes[text] = False, 0
        for at in range(offsets[text], offsets[text + 1]):
            if data[at] == BLANK:
                if inside:
                    ends[n - 1] = at
                inside = False
            elif not inside:
                begins[n], inside = at, True
                n += 1
                sizes[text] += 1
        if inside:
            ends[n - 1] = offsets[text + 1]
    return n


def most_words(offsets: Any) -> int:
    """How many words texts can have: every second byte may be a blank."""
    return int(offsets[-1] - offsets[0] + len(offsets) - 1) // 2 + 1


@njit(cache=True)
def _full(count: int, slots: Any) -> bool:
    return 2 * (count + 1) >= len(slots)


@njit(cache=True)
def _key(data: Any, begin: int, end: int) -> Any:
    """Eight bytes that tell a slice of up to seven from every other, and that longer ones may share."""
    if end - begin <= SHORT:
        key = np.uint64(0)
        for at in range(begin, end):
            key = key << BYTE | np.uint64(data[at])
        return key << BYTE | np.uint64(end - begin)
    found, part = np.uint64(end - begin), np.uint64(0)
    for at in range(begin, end):
        part = part << BYTE | np.uint64(data[at])
        if (at - begin) & 7 == 7:
            found = (found ^ part) * PRIME
            found ^= found >> np.uint64(32)
            part = np.uint64(0)
    return ((found ^ part) * PRIME) | np.uint64(LONG)


@njit(cache=True)
def _find(data: Any, begin: int, end: int, key: Any, table: Any) -> Any:
    """The slot of a slice, or the empty one where it would be."""
    slots, keys, known, known_ends = table
    slot = _slot(key, len(slots))
    while slots[slot] != EMPTY:
        number = slots[slot]
        if keys[number] == key:
            if end - begin <= SHORT:
                return slot
            at, start = 0, known_ends[number]
            if known_ends[number + 1] - start == end - begin:
                while at < end - begin and known[start + at] == data[begin + at]:
                    at += 1
                if at == end - begin:
                    return slot
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@njit(cache=True)
def find_slice(data: Any, begin: int, end: int, table: Any) -> Any:
    """The number of `data[begin:end]`, −1 if it has none."""
    return table[0][_find(data, begin, end, _key(data, begin, end), table)]


@njit(cache=True)
def _fill(
    data: Any,
    begins: Any,
    ends: Any,
    done: int,
    numbers: Any,
    slots: Any,
    keys: Any,
    known: Any,
    known_ends: Any,
    count: int,
) -> tuple[int, int]:
    """Number slices from `done` on, until there is no room. `known_ends[n]` is where text n begins."""
    for row in range(done, len(begins)):
        begin, end = begins[row], ends[row]
        key = _key(data, begin, end)
        slot = _find(data, begin, end, key, (slots, keys, known, known_ends))
        if slots[slot] == EMPTY:
            start = known_ends[count]
            if _full(count, slots) or start + end - begin > len(known):
                return row, count
            for at in range(end - begin):
                known[start + at] = data[begin + at]
            keys[count], known_ends[count + 1], slots[slot] = key, start + end - begin, count
            count += 1
        numbers[row] = slots[slot]
    return len(begins), count


@njit(cache=True)
def _slot(key: Any, slots: int) -> Any:
    """Where to look first."""
    return np.int64((key * PRIME) >> np.uint64(32)) & (slots - 1)


@njit(cache=True)
def _place_again(slots: Any, keys: Any, count: int) -> None:
    """All texts in larger tables."""
    for number in range(count):
        slot = _slot(keys[number], len(slots))
        while slots[slot] != EMPTY:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number
