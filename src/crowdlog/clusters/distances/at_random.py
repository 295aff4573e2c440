"""A distance that says nothing: a fixed hash of the two users. What a partition by lot costs (a baseline)."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.clusters.distances.base import UNIT, Distance
from crowdlog.types import Ints


class RandomDistance(Distance):
    """Two users have the same distance in every part and on every machine."""

    def __init__(self, users: int, ids: Ints | None = None) -> None:
        self.users = users
        self._ids = np.arange(users) if ids is None else ids

    def part(self, users: Ints) -> RandomDistance:
        return RandomDistance(len(users), self._ids[users])

    def row(self, user: int, others: Ints) -> Ints:
        one, two = self._ids[user], self._ids[others]
        mixed = _mixed(
            np.minimum(one, two).astype(np.uint64) << np.uint64(32) | np.maximum(one, two).astype(np.uint64)
        )
        apart: Ints = (mixed % np.uint64(UNIT)).astype(np.int64)
        apart[two == one] = 0
        return apart


def _mixed(values: Any) -> Any:
    """The finaliser of SplitMix64 (Steele et al. 2014)."""
    with np.errstate(over="ignore"):  # the arithmetic is modulo 2⁶⁴ on purpose
        x = values * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
