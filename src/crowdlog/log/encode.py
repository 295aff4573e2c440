"""From text to numbers: each distinct text gets the next id.

An open-addressing hash table over one growing byte arena.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.log.columns import Texts
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.types import Bools, Bytes, Ints

Slots = NDArray[np.uint64]
_LOAD = 0.7  # fill of the table at which it doubles
# texts whose memory is fetched together: enough to keep the memory busy, few enough to stay in the first
# cache
_GROUP = 128


@njit(cache=True, nogil=True)
def _hash(data: Bytes, start: int, size: int, seed: int) -> np.uint64:
    """FNV-1a from a secret start, stirred by MurmurHash3's last step.

    Equality is decided on the bytes, never on this.
    """
    h = np.uint64(seed)
    for i in range(start, start + size):
        h = (h ^ np.uint64(data[i])) * np.uint64(0x100000001B3)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@njit(cache=True, nogil=True)
def _same(data: Bytes, start: int, size: int, arena: Bytes, low: int, high: int) -> bool:
    if high - low != size:
        return False
    for i in range(size):  # noqa: SIM110 - a generator would not compile
        if data[start + i] != arena[low + i]:
            return False
    return True


@njit(cache=True, nogil=True)
def _shift(table: Slots) -> np.uint64:
    """By which a hash becomes a place in a table of 2ⁿ slots, n at most 32."""
    shift = 64
    while len(table) >> (64 - shift) > 1:
        shift -= 1
    return np.uint64(shift)


@njit(cache=True, nogil=True)
def _hash_group(
    data: Bytes, start: Ints, size: Ints, group: int, seed: int, hashes: Slots, again: Bools
) -> None:
    """The hashes of a group's texts, and which of them are that of the row before: where rows of one person
    stand together, many are. Those are not read twice.
    """
    for i in range(group, min(group + _GROUP, len(start))):
        again[i - group] = (
            i > 0
            and size[i] == size[i - 1]
            and _same(data, start[i], size[i], data, start[i - 1], start[i - 1] + size[i - 1])
        )
        if again[i - group] and i > group:
            hashes[i - group] = hashes[i - group - 1]
        else:
            hashes[i - group] = _hash(data, start[i], size[i], seed)


@njit(cache=True, nogil=True)
def _touch(hashes: Slots, table: Slots, ends: Ints, arena: Bytes, slots: Slots) -> np.int64:
    """Load what the texts of these hashes will be compared with, in loops of their own: such loads do not
    wait for each other, so cache misses overlap.

    Returns a sum of bytes that nobody needs: without it the compiler would drop the loads.
    """
    low32, shift = np.uint64(0xFFFFFFFF), _shift(table)
    touched = np.int64(0)
    for i in range(len(hashes)):
        slots[i] = table[hashes[i] >> shift]
    for i in range(len(hashes)):
        slots[i] = np.uint64(ends[np.int64(slots[i] & low32)])
    for i in range(len(hashes)):
        if slots[i] > 0:
            touched += np.int64(arena[np.int64(slots[i]) - 1])
    return touched


@njit(cache=True, nogil=True)
def _intern(
    data: Bytes,
    start: Ints,
    size: Ints,
    ids: Ints,
    table: Slots,
    arena: Bytes,
    ends: Ints,
    count: int,
    seed: int,
) -> tuple[int, np.int64]:
    """Give each text its id, -1 to empty ones. A slot holds the hash's upper half and id + 1; where it is
    first looked for are that half's first bits.

    Returns the new count, and what `_touch` returns.
    """
    mask, shift, low32 = np.uint64(len(table) - 1), _shift(table), np.uint64(0xFFFFFFFF)
    hashes = np.empty(_GROUP, np.uint64)
    slots = np.empty(_GROUP, np.uint64)
    again = np.empty(_GROUP, np.bool_)
    touched = np.int64(0)
    for group in range(0, len(start), _GROUP):
        stop = min(group + _GROUP, len(start))
        _hash_group(data, start, size, group, seed, hashes, again)
        touched += _touch(hashes[: stop - group], table, ends, arena, slots)
        for i in range(group, stop):
            if size[i] <= 0:
                ids[i] = -1
                continue
            if again[i - group]:
                ids[i] = ids[i - 1]
                continue
            h = hashes[i - group]
            tag = h & ~low32
            at = h >> shift
            while True:
                slot = table[at]
                if slot == 0:
                    begin = ends[count]
                    arena[begin : begin + size[i]] = data[start[i] : start[i] + size[i]]
                    count += 1
                    ends[count] = begin + size[i]
                    table[at] = tag | np.uint64(count)
                    ids[i] = count - 1
                    break
                known = np.int64(slot & low32)
                if slot & ~low32 == tag and _same(
                    data, start[i], size[i], arena, ends[known - 1], ends[known]
                ):
                    ids[i] = known - 1
                    break
                at = (at + np.uint64(1)) & mask
    return count, touched


@njit(cache=True, nogil=True)
def _refill(table: Slots, smaller: Slots) -> None:
    """Move all slots. They stand nearly in the order of their hashes, so both tables are gone through once,
    and no text is read.
    """
    mask, shift = np.uint64(len(table) - 1), _shift(table)
    for slot in smaller:
        if slot != 0:
            at = slot >> shift
            while table[at] != 0:
                at = (at + np.uint64(1)) & mask
            table[at] = slot


class Dictionary:
    """Ids from 0 in order of first appearance: they depend on the texts alone, not on how they were cut into
    batches nor on the seed.
    """

    def __init__(self) -> None:
        self.count = 0
        self._table: Slots = np.zeros(1 << 12, np.uint64)
        self._arena: Bytes = np.empty(1 << 16, np.uint8)
        self._ends: Ints = np.zeros(1 << 12, np.int64)  # text i ends at ends[i + 1] and begins at ends[i]
        # A secret start of the hash, so that nobody can prepare texts that all collide.
        self._seed = int.from_bytes(SystemRandomness().bytes(7), "little")

    def __len__(self) -> int:
        return self.count

    @property
    def memory(self) -> int:
        """Bytes held."""
        return int(self._table.nbytes + self._arena.nbytes + self._ends.nbytes)

    def encode(self, texts: Texts) -> Ints:
        """The id of each text, new ones included; -1 where there is no text."""
        ids = np.empty(len(texts.start), np.int64)
        self._reserve(len(ids), int(texts.size.sum()))
        self.count, _ = _intern(
            texts.data,
            texts.start,
            texts.size,
            ids,
            self._table,
            self._arena,
            self._ends,
            self.count,
            self._seed,
        )
        return ids

    def slice(self, low: int, high: int) -> tuple[Bytes, Ints]:
        """Bytes of the texts low … high-1 and their offsets from 0."""
        ends = self._ends[low : high + 1]
        return self._arena[ends[0] : ends[-1]], ends - ends[0]

    def _reserve(self, texts: int, size: int) -> None:
        """Make room for so many new texts, in place where the allocator can (refcheck: the views of slice()
        are gone by then).
        """
        if (need := int(self._ends[self.count]) + size) > len(self._arena):
            self._arena.resize(max(need, len(self._arena) * 3 // 2), refcheck=False)
        if (need := self.count + texts + 1) > len(self._ends):
            self._ends.resize(max(need, len(self._ends) * 3 // 2), refcheck=False)
        slots = len(self._table)
        while need > slots * _LOAD:
            slots *= 2
        if slots > len(self._table):
            table = np.zeros(slots, np.uint64)
            _refill(table, self._table)
            self._table = table
