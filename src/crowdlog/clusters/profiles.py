"""What each user is known by: categories (or queries, or any items) with how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.mapping import Mapping
from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.log.store import LogStore
from crowdlog.types import Ints


@dataclass(frozen=True, repr=False)
class Profiles:
    """User u has `item[start[u]:start[u + 1]]`, ascending, each `weight` times."""

    start: NDArray[np.int64]
    item: NDArray[np.int32]
    weight: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.start) - 1

    def __repr__(self) -> str:
        return f"Profiles({len(self)} users, {len(self.item)} items)"

    @property
    def total(self) -> Ints:
        """How many occurrences each user has."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.weight, dtype=np.int64)])
        total: Ints = before[self.start[1:]] - before[self.start[:-1]]
        return total

    def part(self, users: Ints) -> Profiles:
        """These users, in this order."""
        length = np.diff(self.start)[users]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
        place = np.arange(start[-1]) + np.repeat(self.start[users] - start[:-1], length)
        return Profiles(start, self.item[place], self.weight[place])


def profiles_of(user: Ints, item: Ints, users: int) -> Profiles:
    """Count the occurrences (user, item)."""
    keys, weight = np.unique(pack(user, item), return_counts=True)
    owner, items = unpack(keys)
    start = np.searchsorted(owner, np.arange(users + 1)).astype(np.int64)
    return Profiles(start, items.astype(np.int32), weight.astype(np.int32))


def read_impressions(log: LogStore) -> tuple[Ints, Ints]:
    """User and query of every impression, in the order of the log."""
    table = pq.read_table(log.events(), columns=["user", "query", "impression"])
    seen = table.filter(table["impression"])
    return seen["user"].to_numpy().astype(np.int64), seen["query"].to_numpy().astype(np.int64)


def query_profiles(log: LogStore) -> Profiles:
    """Users by the texts of their queries."""
    user, query = read_impressions(log)
    return profiles_of(user, query, log.info.users)


def category_profiles(log: LogStore, mapping: Mapping) -> Profiles:
    """Users by the categories of their queries."""
    user, query = read_impressions(log)
    length = np.diff(mapping.start)[query]
    begin = np.repeat(mapping.start[query] - np.cumsum(length) + length, length)
    place = begin + np.arange(len(begin))
    return profiles_of(np.repeat(user, length), mapping.category[place].astype(np.int64), log.info.users)
