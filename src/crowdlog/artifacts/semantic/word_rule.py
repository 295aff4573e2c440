"""Which words keep a query from being compared with others: words that few people typed, and names of
persons.

A query with such a word stands alone: it is released when k people typed exactly that text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.proper_nouns import person_names

NAMES = ("block", "allow")


@dataclass(frozen=True)
class WordRule:
    """`users`: how many people must have typed every word of a query, anywhere in the log. `names`: whether
    names of persons may ride along ("allow") or not ("block").
    """

    users: int = 2
    names: str = "allow"

    def blocked(self, text: Any, typed_by: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For every word (its text, and how many people typed it): does it keep its queries alone?"""
        import pyarrow as pa
        import pyarrow.compute as pc

        rare: NDArray[np.bool_] = typed_by < self.users
        if self.names == "allow":
            return rare
        listed = pa.array(sorted(person_names()), text.type)
        named: NDArray[np.bool_] = np.asarray(pc.is_in(text, value_set=listed), bool)
        return np.logical_or(rare, named)


PAPER = WordRule()  # §3.2 removes only what one user alone typed
