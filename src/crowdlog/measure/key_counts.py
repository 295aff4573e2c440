"""Numbered keys with counts: a table of a release, or of the log itself, without its texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.types import Floats, Ints


@dataclass(frozen=True)
class KeyCounts:
    """Distinct keys, ascending, with how often each occurs and (in the log itself) for how many users."""

    key: Ints
    count: Floats
    users: Floats | None = None

    def __len__(self) -> int:
        return len(self.key)

    def __repr__(self) -> str:
        return f"KeyCounts({len(self)} keys)"

    def at_least(self, count: float) -> KeyCounts:
        """The keys with at least this count."""
        often = self.count >= count
        return KeyCounts(self.key[often], self.count[often])

    def matrix(self, shape: tuple[int, int]) -> Any:
        """Positive counts as a sparse matrix: first id by second id."""
        from scipy.sparse import csr_array

        kept = self.count > 0
        return csr_array((self.count[kept], unpack(self.key[kept])), shape=shape)


def count_keys(key: Ints, weight: Floats | None = None, user: Any = None) -> KeyCounts:
    """Add up equal keys. With `user` also count the different users of each key."""
    distinct, inverse = np.unique(key, return_inverse=True)
    count = np.bincount(inverse, weights=weight, minlength=len(distinct)).astype(np.float64)
    if user is None:
        return KeyCounts(distinct, count)
    holders, _users = unpack(np.unique(pack(inverse, user)))
    return KeyCounts(distinct, count, np.bincount(holders, minlength=len(distinct)).astype(np.float64))
