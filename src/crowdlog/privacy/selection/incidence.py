"""Who holds which items: the only view of the data a selection gets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.privacy.keyed import tags_of
from crowdlog.privacy.randomness import Randomness

Offsets = NDArray[np.int64]
Items = NDArray[np.int32]


@dataclass(frozen=True)
class Incidence:
    """User u holds `items[offsets[u]:offsets[u+1]]`, in rising order; items are numbered 0 … size − 1."""

    offsets: Offsets
    items: Items
    size: int

    def __post_init__(self) -> None:
        if len(self.offsets) < 1 or self.offsets[0] != 0 or self.offsets[-1] != len(self.items):
            raise InputError(f"The offsets of an incidence must run from 0 to its {len(self.items)} items.")
        if len(self.items) and not (self.items.min() >= 0 and self.items.max() < self.size):
            raise InputError(f"The items of an incidence must be numbers from 0 to {self.size - 1}.")
        from crowdlog.privacy.selection import kernels

        if not kernels.rising(self.offsets, self.items):  # a repeated item would let its user add too much
            raise InputError(
                "The items of each user of an incidence must be in rising order, without repeats."
            )

    @property
    def users(self) -> int:
        return len(self.offsets) - 1

    def bounded(self, most: int, randomness: Randomness) -> Incidence:
        """Each user keeps a random set of at most `most` items.

        A user's choice depends on her own items and fresh random numbers only.
        """
        from crowdlog.privacy.selection import kernels

        sizes = np.diff(self.offsets)
        user = np.repeat(np.arange(self.users), np.where(sizes > most, sizes, 0))
        tags = tags_of(randomness, "items", user, self.items[np.repeat(sizes > most, sizes)])
        kept = np.empty(len(self.items), np.int32)
        offsets = kernels.keep_random(self.offsets, self.items, tags, most, kept)
        return _in_order(offsets, kept[: offsets[-1]], self.size)

    def only(self, items: NDArray[np.int64]) -> Incidence:
        """A copy that keeps only these items (given in ascending order) and renumbers them from 0."""
        from crowdlog.privacy.selection import kernels

        if len(items) == self.size:
            return self
        renumbered = np.full(self.size, -1, np.int32)
        renumbered[items] = np.arange(len(items), dtype=np.int32)
        offsets, kept = kernels.keep_items(self.offsets, self.items, renumbered)
        return _in_order(offsets, kept, len(items))

    def held(self) -> tuple[Incidence, NDArray[np.int64]]:
        """Without the items nobody holds; and what each new number was before."""
        found = np.zeros(self.size, bool)
        found[self.items] = True
        ids = np.flatnonzero(found)
        return self.only(ids), ids

    def holders(self) -> NDArray[np.int64]:
        """How many users hold each item: a raw count that must not be published."""
        return np.bincount(self.items, minlength=self.size).astype(np.int64)

    def __repr__(self) -> str:
        return f"Incidence({self.users} users, {len(self.items)} held items of {self.size})"


def _in_order(offsets: Offsets, items: Items, size: int) -> Incidence:
    """Part of an incidence that was checked, in the same order: not checked again, in each of many rounds."""
    found = object.__new__(Incidence)
    for name, value in (("offsets", offsets), ("items", items), ("size", size)):
        object.__setattr__(found, name, value)
    return found
