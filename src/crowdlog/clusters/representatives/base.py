"""What an aggregation operator makes, and how much each user of a cluster gives."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from crowdlog.privacy.randomness import Randomness
from crowdlog.progress import progress_bar
from crowdlog.types import Floats, Ints

Row = tuple[int, int, int, int]  # query, time, rank, site


@dataclass(frozen=True, repr=False)
class Representatives:
    """The rows of the log that stands for each cluster: cluster, query, time, rank and site of each row."""

    cluster: Ints
    query: Ints
    time: Ints
    rank: Ints  # 0: none
    site: Ints  # −1: none

    def __len__(self) -> int:
        return len(self.cluster)

    def __repr__(self) -> str:
        return f"Representatives({len(self)} rows)"


def make_representatives(members: list[Ints], rows_of: Callable[[Ints], Iterable[Row]]) -> Representatives:
    """The rows that `rows_of` gives for the users of each cluster, sorted by cluster and time."""
    numbers = array("q")  # tuples would take six times the memory
    with progress_bar("Making representatives", len(members), unit="clusters") as advance:
        for cluster, users in enumerate(members):
            for row in rows_of(users):
                numbers.extend((cluster, *row))
            advance(1)
    table = np.array(numbers, np.int64).reshape(-1, 5)
    order = np.lexsort((table[:, 1], table[:, 2], table[:, 0]))
    return Representatives(*(table[order, column] for column in range(5)))


def quotas(amounts: Ints) -> Ints:
    """How many rows each user of one cluster gives: |φ_i|/size, rounded so that they sum to the mean.

    Largest remainder; ties go to the lowest id. The mean itself is rounded to the nearest, halves up.
    """
    size = len(amounts)
    total = int(amounts.sum())
    mean = (2 * total + size) // (2 * size)
    share = amounts // size
    missing = mean - int(share.sum())
    order = np.argsort(-(amounts % size), kind="stable")
    share[order[:missing]] += 1
    return share


class Draws:
    """Uniform numbers, drawn in large portions."""

    def __init__(self, randomness: Randomness, portion: int = 1 << 14) -> None:
        self._randomness, self._portion = randomness, portion
        self._numbers: Floats = np.zeros(0)
        self._at = 0

    def uniform(self) -> float:
        """A number from 0 to 1, 53 bits."""
        if self._at == len(self._numbers):
            raw = np.frombuffer(self._randomness.bytes(8 * self._portion), np.uint64)
            self._numbers = (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53
            self._at = 0
        self._at += 1
        return float(self._numbers[self._at - 1])

    def below(self, n: int) -> int:
        """One of 0 … n − 1."""
        return int(self.uniform() * n)
