"""Sequences of queries over many machines. A sequence has the number that one machine gives it: shorter ones
first, equally long ones in the order of their queries' ids; so its noise is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from crowdlog.engine.spark.blocks import StoreBlock
from crowdlog.engine.spark.exchange import Sent, exchange
from crowdlog.engine.subsequences import COLUMNS, Naming, Subsequences, count_subsequences, cut_batches
from crowdlog.plan.decide import Kept, TableCounts, by_counts
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.types import Ints

_BUCKETS = 4096  # of the ids of first queries, from which ranges are made


@dataclass(frozen=True)
class SequenceSetting:
    """How sessions are cut, and whether people or occurrences are counted."""

    minutes: int
    sessions: int
    queries: int
    people: bool


@dataclass(frozen=True)
class SequenceCounts:
    """Row i of `members` is a sequence, filled up with −1; `count`: of each."""

    members: Ints
    count: Ints


@dataclass(frozen=True)
class KeptSequences:
    """What is published, and the queries of each key."""

    kept: Kept
    members: Ints

    def of(self, keys: Ints) -> list[list[int]]:
        rows = self.members[np.searchsorted(self.kept.key, keys)]
        return [[number for number in row if number >= 0] for row in rows.tolist()]


def decide_sequences(
    setting: SequenceSetting,
    blocks: Any,
    queries: int,
    shares: int,
    plan: TablePlan,
    randomness: KeyedRandomness,
) -> KeptSequences:
    """`blocks`: of the store; `queries`: how many ids there are."""
    from pyspark import StorageLevel

    counted = blocks.map(partial(count_block, setting, queries)).persist(StorageLevel.DISK_ONLY)
    try:
        first = counted.map(partial(_by_bucket, queries)).fold(np.zeros(_BUCKETS, np.int64), np.add)
        bounds = _ranges(first, queries, shares)
        merged = exchange(counted.flatMap(partial(_to_shares, bounds)), len(bounds)).mapPartitions(_merged)
        sizes = np.array(merged.map(_lengths).collect(), np.int64)  # by share and length
        bases = _bases(sizes)
        there = merged.zipWithIndex().map(lambda pair: _decided(plan, randomness, bases[pair[1]], pair[0]))
        found = there.collect()
    finally:
        counted.unpersist()
    key, count, members = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(key, kind="stable")
    return KeptSequences(Kept(key[order], count[order]), members[order])


def count_block(setting: SequenceSetting, queries: int, block: StoreBlock) -> SequenceCounts:
    batches = block.read(COLUMNS).to_batches()
    sessions = cut_batches(batches, setting.minutes, setting.sessions, setting.queries, Naming())
    found = count_subsequences(sessions, queries, people=setting.people)
    return SequenceCounts(members_of(found, setting.queries), found.count)


def members_of(found: Subsequences, longest: int) -> Ints:
    """The queries of every sequence, level by level: a parent is one query shorter and comes before."""
    members = np.full((len(found.count), longest), -1, np.int64)
    level = np.flatnonzero(found.parent < found.first)
    members[level, 0] = found.parent[level]
    length = 1
    while len(level):
        members[level, length] = found.last[level]
        parent = found.parent - found.first
        level = np.flatnonzero((parent >= level[0]) & (parent <= level[-1]))
        length += 1
        if len(level):
            members[level, :length] = members[parent[level], :length]
    return members


def _bucket(members: Ints, queries: int) -> Ints:
    return members[:, 0] * _BUCKETS // queries


def _by_bucket(queries: int, counted: SequenceCounts) -> Ints:
    return np.bincount(_bucket(counted.members, queries), minlength=_BUCKETS)


def _ranges(first: Ints, queries: int, shares: int) -> Ints:
    """The first query from which each range begins; about as many sequences in each."""
    ends = np.cumsum(first)
    wanted = ends[-1] * np.arange(1, shares) / shares
    buckets = np.unique(np.append(0, np.searchsorted(ends, wanted) + 1))
    return -(-buckets[buckets < _BUCKETS] * queries // _BUCKETS)


def _to_shares(bounds: Ints, counted: SequenceCounts) -> Iterator[Sent]:
    share = np.searchsorted(bounds, counted.members[:, 0], side="right") - 1
    for number in np.unique(share):
        mine = share == number
        yield int(number), SequenceCounts(counted.members[mine], counted.count[mine])


def _merged(messages: Iterator[Sent]) -> Iterator[SequenceCounts]:
    """All sequences of a share in their order, each once."""
    found = [message for _share, message in messages]
    if not found:
        yield SequenceCounts(np.zeros((0, 1), np.int64), np.zeros(0, np.int64))
        return
    members = np.concatenate([each.members for each in found])
    count = np.concatenate([each.count for each in found])
    length = (members >= 0).sum(axis=1)
    order = np.lexsort((*members.T[::-1], length))
    members, count = members[order], count[order]
    new = np.append(True, (members[1:] != members[:-1]).any(axis=1))[: len(members)]
    begins = np.flatnonzero(new)
    yield SequenceCounts(members[begins], np.add.reduceat(count, begins) if len(begins) else count)


_LONGEST = 64  # queries of a sequence: sessions are cut far below


def _lengths(share: SequenceCounts) -> list[int]:
    sizes: list[int] = np.bincount((share.members >= 0).sum(axis=1), minlength=_LONGEST).tolist()
    return sizes


def _bases(sizes: Ints) -> Ints:
    """The number of the first sequence of each share and length."""
    shorter = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))[:-1]])
    before = np.cumsum(sizes, axis=0) - sizes
    bases: Ints = shorter + before
    return bases


def _decided(
    plan: TablePlan, randomness: KeyedRandomness, base: Ints, share: SequenceCounts
) -> tuple[Ints, Ints, Ints]:
    length = (share.members >= 0).sum(axis=1)
    begins = np.searchsorted(length, length, side="left")  # lengths rise
    key = base[length] + np.arange(len(length)) - begins
    kept = by_counts(plan, TableCounts(key, share.count, share.count), randomness)
    order = np.argsort(key, kind="stable")
    return kept.key, kept.count, share.members[order[np.searchsorted(key[order], kept.key)]]
