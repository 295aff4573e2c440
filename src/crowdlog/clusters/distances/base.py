"""What a distance between users must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints

UNIT = 1 << 24  # the distance of users who have nothing in common
Matrix = NDArray[np.int32]
_ROWS = 64  # users that one thread does at a time


def in_threads(users: int, threads: int, fill: Callable[[int, int], None], advance: Advance) -> None:
    """Call fill(first, last) for all users, some at a time."""

    def some(first: int) -> int:
        last = min(first + _ROWS, users)
        fill(first, last)
        return last - first

    with ThreadPoolExecutor(threads) as pool:
        for done in pool.map(some, range(0, users, _ROWS)):
            advance(done)


def mirror(matrix: Matrix) -> None:
    """Copy what is below the diagonal to above it, some rows at a time: the copy is not in memory twice."""
    for first in range(0, len(matrix), _ROWS):
        last = first + _ROWS
        matrix[:first, first:last] = matrix[first:last, :first].T
        square = matrix[first:last, first:last]
        square += np.triu(square.T, 1)


class Distance(ABC):
    """How far users 0 … users − 1 are from each other, from 0 to UNIT; symmetric, and 0 to oneself."""

    users: int

    @abstractmethod
    def part(self, users: Ints) -> Distance:
        """The same distance between these users, numbered anew in this order."""

    @abstractmethod
    def row(self, user: int, others: Ints) -> Ints:
        """The distances from one user to each of the others."""

    def matrix(self, threads: int = 1, advance: Advance = unseen) -> Matrix:
        """All distances."""
        everybody = np.arange(self.users)
        found: Matrix = np.empty((self.users, self.users), np.int32)
        for user in range(self.users):
            found[user] = self.row(user, everybody)
            advance(1)
        return found

    def space(self) -> Any:
        """Where MDAV can ask its questions without all distances; None: it needs them."""
        return None

    def large_space(self) -> Any:
        """The same for more users than a matrix can hold."""
        from crowdlog.clusters.space import RowSpace

        return RowSpace(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.users} users)"
