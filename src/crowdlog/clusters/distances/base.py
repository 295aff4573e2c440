"""What a distance between users must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.types import Ints

UNIT = 1 << 24  # the distance of users who have nothing in common
Matrix = NDArray[np.int32]


class Distance(ABC):
    """How far users 0 … users − 1 are from each other, from 0 to UNIT; symmetric, and 0 to oneself."""

    users: int

    @abstractmethod
    def part(self, users: Ints) -> Distance:
        """The same distance between these users, numbered anew in this order."""

    @abstractmethod
    def row(self, user: int, others: Ints) -> Ints:
        """The distances from one user to each of the others."""

    def matrix(self, threads: int = 1) -> Matrix:
        """All distances."""
        everybody = np.arange(self.users)
        found: Matrix = np.empty((self.users, self.users), np.int32)
        for user in range(self.users):
            found[user] = self.row(user, everybody)
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
