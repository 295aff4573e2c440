"""What each user did, every occurrence: from which the sets for a selection and bounded counts are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.privacy.keyed import tags_of
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.privacy.selection.incidence import Incidence


@dataclass(frozen=True)
class Histories:
    """User u did `items[offsets[u]:offsets[u+1]]`, repeats included, in rising order; items are numbered 0 …
    size − 1.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    size: int

    @classmethod
    def from_rows(cls, users: NDArray[Any], items: NDArray[Any], size: int) -> Histories:
        """From parallel columns in any order; users and items are small numbers from 0."""
        from crowdlog.privacy.selection import kernels

        if len(items) and not (users.min() >= 0 and items.min() >= 0 and items.max() < size):
            raise InputError(f"Users must be numbers from 0, items numbers from 0 to {size - 1}.")
        offsets, grouped = kernels.group(
            users, items.astype(np.int32, copy=False), int(users.max()) + 1 if len(users) else 0
        )
        return cls(offsets, grouped, size)

    def distinct(self) -> Incidence:
        """The set of each user's items."""
        from crowdlog.privacy.selection import kernels

        offsets, kept = kernels.distinct(self.offsets, self.items)
        return Incidence(offsets, kept, self.size)

    def only(self, items: NDArray[np.int64]) -> Histories:
        """A copy that keeps only these items (given in ascending order) and renumbers them from 0."""
        from crowdlog.privacy.selection import kernels

        renumbered = np.full(self.size, -1, np.int32)
        renumbered[items] = np.arange(len(items), dtype=np.int32)
        offsets, kept = kernels.keep_items(self.offsets, self.items, renumbered)
        return Histories(offsets, kept, len(items))

    def counts(self, budget: int, randomness: Randomness) -> NDArray[np.int64]:
        """Occurrences of each item when no user adds a vector whose squares sum to more than `budget`.

        Not private yet.

        A user who did too much gives her occurrences in random order, each unless it would exceed the budget.
        """
        from crowdlog.privacy.selection import kernels

        over = kernels.over_budget(self.offsets, self.items, self.size, budget)
        rows = np.repeat(over, np.diff(self.offsets))
        user = np.repeat(np.arange(len(over)), np.diff(self.offsets))[rows]
        items = self.items[rows]
        tags = tags_of(randomness, "occurrences", user, items, _repeats(user, items))
        counted: NDArray[np.int64] = kernels.bounded_counts(self.offsets, self.items, self.size, budget, tags)
        return counted

    def __repr__(self) -> str:
        return f"Histories({len(self.offsets) - 1} users, {len(self.items)} occurrences of {self.size} items)"


def _repeats(users: NDArray[Any], items: NDArray[Any]) -> NDArray[np.int64]:
    """How often each row's user and item stood before; equal ones stand together."""
    new = np.ones(len(users), bool)
    new[1:] = (users[1:] != users[:-1]) | (items[1:] != items[:-1])
    first = np.flatnonzero(new)
    return np.arange(len(users)) - np.repeat(first, np.diff(np.append(first, len(users))))


def count_noise(budget: int, mu: float) -> RoundedGaussian:
    """The noise that makes such counts a Gaussian mechanism of this μ."""
    return RoundedGaussian(float(np.sqrt(budget)) / mu * ROOM_ABOVE)
