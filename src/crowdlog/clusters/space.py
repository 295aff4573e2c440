"""What MDAV asks of users: who is in the middle, farthest, nearest. Ties go to the lowest id."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from crowdlog.clusters.distances.base import Distance, Matrix
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints

_ROWS = 256  # of a matrix of distances, summed in one go
Point = Any  # a user's number, or a centroid that is no user


class Space(ABC):
    """`alive`: the users who are in no cluster yet, ascending."""

    users: int

    @abstractmethod
    def centroid(self, alive: Ints) -> Point:
        """The middle of these users."""

    def begin(self, alive: Ints, advance: Advance) -> None:
        """Prepare for the first centroid."""
        advance(len(alive))

    def middle(self, alive: Ints, advance: Advance = unseen) -> Point:
        """The centroid, for whoever asks once and never again."""
        self.begin(alive, advance)
        return self.centroid(alive)

    @abstractmethod
    def farthest(self, point: Point, alive: Ints) -> int:
        """The user who is farthest from a point."""

    @abstractmethod
    def nearest(self, user: int, alive: Ints, k: int) -> Ints:
        """The k users nearest to a user, herself first."""

    def forget(self, users: Ints, alive: Ints) -> None:
        """These users have a cluster now; `alive` are left."""
        return


class DistanceSpace(Space):
    """The centroid is the medoid: the user with the least sum of distances to all others (eq. 5.14)."""

    def __init__(self, users: int) -> None:
        self.users = users
        self._sums: Any = None

    @abstractmethod
    def row(self, user: int, alive: Ints) -> Any:
        """The distances from one user to those left."""

    @abstractmethod
    def sums(self, alive: Ints, advance: Advance) -> Any:
        """For every user the sum of distances to those left."""

    @abstractmethod
    def sum_to(self, users: Ints, alive: Ints) -> Any:
        """For those left, the sum of distances to some users."""

    def begin(self, alive: Ints, advance: Advance) -> None:
        self._sums = self.sums(alive, advance)

    def centroid(self, alive: Ints) -> Point:
        if self._sums is None:
            self._sums = self.sums(alive, unseen)
        return int(alive[np.argmin(self._sums[alive])])

    def farthest(self, point: Point, alive: Ints) -> int:
        return int(alive[np.argmax(self.row(point, alive))])

    def nearest(self, user: int, alive: Ints, k: int) -> Ints:
        return k_nearest(self.row(user, alive), alive, user, k)

    def forget(self, users: Ints, alive: Ints) -> None:
        if self._sums is not None:
            self._sums[alive] -= self.sum_to(users, alive)


class MatrixSpace(DistanceSpace):
    """All distances are in memory."""

    def __init__(self, matrix: Matrix) -> None:
        super().__init__(len(matrix))
        self.matrix = matrix

    def row(self, user: int, alive: Ints) -> Any:
        return self.matrix[user][alive]

    def sums(self, alive: Ints, advance: Advance) -> Any:
        found = np.empty(self.users, np.int64)
        for first in range(0, self.users, _ROWS):  # not all at once: the matrix would be in memory twice
            some = slice(first, first + _ROWS)
            found[some] = self.matrix[some][:, alive].sum(axis=1, dtype=np.int64)
        advance(len(alive))
        return found

    def sum_to(self, users: Ints, alive: Ints) -> Any:
        return self.matrix[users][:, alive].sum(axis=0, dtype=np.int64)


class RowSpace(DistanceSpace):
    """Distances are computed when they are asked for, a row at a time; the last two rows are kept."""

    def __init__(self, distance: Distance) -> None:
        super().__init__(distance.users)
        self._distance = distance
        self._kept: dict[int, Any] = {}

    def row(self, user: int, alive: Ints) -> Any:
        if user not in self._kept:
            if len(self._kept) > 1:
                del self._kept[next(iter(self._kept))]
            whole = np.zeros(self.users, np.int32)
            whole[alive] = self._distance.row(user, alive)
            self._kept[user] = whole
        return self._kept[user][alive]

    def sums(self, alive: Ints, advance: Advance) -> Any:
        total = np.zeros(self.users, np.int64)
        for user in alive:
            total[user] = self._distance.row(int(user), alive).sum()
            advance(1)
        return total

    def sum_to(self, users: Ints, alive: Ints) -> Any:
        return sum(self._distance.row(int(user), alive).astype(np.int64) for user in users)


def k_nearest(distances: Any, alive: Ints, user: int, k: int) -> Ints:
    """The user herself, then the k − 1 others with the least distances."""
    others = alive != user
    found, distances = alive[others], distances[others]
    if k - 1 < len(found):
        bar = np.partition(distances, k - 2)[k - 2] if k > 1 else -1
        near = np.flatnonzero(distances <= bar)
        near = near[np.argsort(distances[near], kind="stable")][: k - 1]
    else:
        near = np.argsort(distances, kind="stable")
    return np.concatenate([[user], found[near]])
