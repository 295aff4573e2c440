"""What each user is known by: categories (or queries, or any items) with how often each occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.mapping import Mapping
from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore
from crowdlog.progress import progress_bar
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
        length = self.start[users + 1] - self.start[users]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
        place = np.arange(start[-1]) + np.repeat(self.start[users] - start[:-1], length)
        return Profiles(start, self.item[place], self.weight[place])


def _joined(parts: list[Profiles]) -> Profiles:
    length = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.start) for part in parts)])
    none = np.zeros(0, np.int32)
    return Profiles(
        np.cumsum(length),
        np.concatenate([none, *(part.item for part in parts)]),
        np.concatenate([none, *(part.weight for part in parts)]),
    )


def profiles_of(user: Ints, item: Ints, users: int) -> Profiles:
    """Count the occurrences (user, item)."""
    keys, weight = np.unique(pack(user, item), return_counts=True)
    owner, items = unpack(keys)
    start = np.searchsorted(owner, np.arange(users + 1)).astype(np.int64)
    return Profiles(start, items.astype(np.int32), weight.astype(np.int32))


def read_impressions(log: LogStore) -> Iterator[tuple[Ints, Ints]]:
    """User and query of every impression in the order of the log, some users at a time, each with all of
    hers.
    """
    user, query = np.zeros(0, np.int64), np.zeros(0, np.int64)
    with progress_bar("Reading who searched what", log.info.rows) as advance:
        for batch in batches(log.events(), ["user", "query", "impression"]):
            seen: Any = batch.filter(batch["impression"])
            user = np.concatenate([user, seen["user"].to_numpy()])
            query = np.concatenate([query, seen["query"].to_numpy()])
            whole = int(np.searchsorted(user, user[-1:])[0]) if len(user) else 0  # the last may go on
            yield user[:whole], query[:whole]
            user, query = user[whole:], query[whole:]
            advance(len(batch))
    yield user, query


def _profiles(log: LogStore, items: Callable[[Ints, Ints], tuple[Ints, Ints]]) -> Profiles:
    """Count what `items` makes of users and queries."""
    parts, first = [], 0
    for user, query in read_impressions(log):
        if len(user):
            after = int(user[-1]) + 1
            owner, item = items(user, query)
            parts.append(profiles_of(owner - first, item, after - first))
            first = after
    nothing = np.zeros(0, np.int64)
    parts.append(profiles_of(nothing, nothing, log.info.users - first))
    return _joined(parts)


def query_profiles(log: LogStore) -> Profiles:
    """Users by the texts of their queries."""
    return _profiles(log, lambda user, query: (user, query))


def category_profiles(log: LogStore, mapping: Mapping) -> Profiles:
    """Users by the categories of their queries."""

    def categories(user: Ints, query: Ints) -> tuple[Ints, Ints]:
        begin, end = mapping.start[query], mapping.start[query + 1]
        length = end - begin
        place = np.repeat(begin - np.cumsum(length) + length, length) + np.arange(length.sum())
        return np.repeat(user, length), mapping.category[place].astype(np.int64)

    return _profiles(log, categories)
