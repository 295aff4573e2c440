"""Contribution bounds: how much of one person counts in one table. Each has its lemma in proofs/bounds.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Counts = Literal["impressions", "users"]


@dataclass(frozen=True)
class Reach:
    """How far one person moves the counts of one table at most: the sum of changes, the sum of their squares,
    one change.
    """

    total: float
    squares: float
    each: float


class _AtMost:
    """At most d artifacts of each person."""

    d: int

    def reach(self, counts: Counts) -> Reach:
        return _of_units(self.d, counts)

    @property
    def keys(self) -> int:
        """How many different keys of one person count at most."""
        return self.d


@dataclass(frozen=True)
class FirstOccurrences(_AtMost):
    """The first d artifacts of each person, repeats included."""

    d: int
    by_lot = False

    def __str__(self) -> str:
        return f"the first {self.d} of each person"


@dataclass(frozen=True)
class RandomOccurrences(_AtMost):
    """d artifacts of each person, repeats included, chosen by lot."""

    d: int
    by_lot = True

    def __str__(self) -> str:
        return f"{self.d} of each person, chosen by lot"


class _DifferentKeys(_AtMost):
    """At most d different artifacts of each person, each once."""

    def reach(self, _counts: Counts) -> Reach:
        return _of_units(self.d, "users")


@dataclass(frozen=True)
class FirstKeys(_DifferentKeys):
    """The first d different artifacts of each person, each once."""

    d: int
    by_lot = False

    def __str__(self) -> str:
        return f"the first {self.d} different ones of each person"


@dataclass(frozen=True)
class RandomKeys(_DifferentKeys):
    """d different artifacts of each person, each once, chosen by lot."""

    d: int
    by_lot = True

    def __str__(self) -> str:
        return f"{self.d} different ones of each person, chosen by lot"


@dataclass(frozen=True)
class SquaredBudget:
    """Weights for at most `keys` different artifacts of a person, and counts whose squares sum to at most
    `budget`; by lot where she has more.
    """

    budget: int
    keys: int
    by_lot = True

    def reach(self, _counts: Counts) -> Reach:
        return Reach(total=math.inf, squares=self.budget, each=math.sqrt(self.budget))

    def __str__(self) -> str:
        return (
            f"at most {self.keys} different ones of each person, with counts whose squares sum to at most "
            f"{self.budget}"
        )


@dataclass(frozen=True)
class ScaledLength:
    """Weights for at most `keys` different artifacts of a person, by lot where she has more; then every
    artifact of hers that is shown counts once, all tables in one vector, scaled down where it is too long.
    """

    keys: int
    by_lot = True

    def reach(self, _counts: Counts) -> Reach:
        # one count moves by 1 over the kept share, which is at least ½; the vector's length is bounded in
        # weights that noisy counts set
        return Reach(total=math.inf, squares=math.inf, each=2)


@dataclass(frozen=True)
class DividedPerson:
    """Everything that a person did, as shares of one person: divided among `cells` public values."""

    cells: int
    by_lot = False

    def reach(self, _counts: Counts) -> Reach:
        # each cell moves by at most 1, and published counts are rounded to whole people
        return Reach(total=self.cells, squares=self.cells, each=1)

    @property
    def keys(self) -> int:
        return self.cells

    def __str__(self) -> str:
        return "each person once, divided among the values by her searches"


@dataclass(frozen=True)
class SessionCut(_AtMost):
    """The first `queries` queries of each person's first `sessions` sessions of at least two; `d` is how many
    sequences they hold at most.
    """

    sessions: int
    queries: int
    d: int
    by_lot = False

    def __str__(self) -> str:
        return (
            f"the first {self.queries} queries of the first {self.sessions} sessions of each person, "
            f"{self.d} sequences at most"
        )


@dataclass(frozen=True)
class Unbounded:
    """Everything that a person did counts."""

    by_lot = False

    def reach(self, _counts: Counts) -> Reach:
        return Reach(math.inf, math.inf, math.inf)

    @property
    def keys(self) -> float:
        return math.inf

    def __str__(self) -> str:
        return "everything"


# No bound is a kind of another: the order of the cases of a `match` does not matter.
Bound = (
    FirstOccurrences
    | RandomOccurrences
    | FirstKeys
    | RandomKeys
    | SquaredBudget
    | ScaledLength
    | DividedPerson
    | SessionCut
    | Unbounded
)


def _of_units(d: int, counts: Counts) -> Reach:
    """d units: all on one count, or where people are counted one on each of d counts."""
    return Reach(d, d, 1) if counts == "users" else Reach(d, d * d, d)
