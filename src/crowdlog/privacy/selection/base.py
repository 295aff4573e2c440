"""What every key selection is: parameters fixed before any data, a promise, and the kept items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.incidence import Incidence

# distinct items one user contributes at most: fewer lose queries, more raise the threshold
# (docs/benchmarks-keys.md)
D0 = 200


@dataclass(frozen=True)
class SelectionPromise:
    """What holds whatever the data are: the guarantee, what a key must reach in the end, and the noise on it.

    Both are in weight, or in people where people are counted. `parameters` are further numbers for the label.
    """

    guarantee: Guarantee
    bar: float
    sd: float
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Selected:
    """The items that may be named, in rising order, and the noisy weight that let each through (empty for
    methods that have none to show).
    """

    items: NDArray[np.int64]
    weights: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"Selected({len(self.items)} items)"


class Selection(Protocol):
    """A method with its parameters."""

    @property
    def items_per_user(self) -> int:
        """How many items of one user it is made for."""
        ...

    @property
    def noise_share(self) -> float | None:
        """The share of δ that pays for Gaussian noise, the rest for keys of one user alone; None: its noise
        is not Gaussian.
        """
        ...

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        """The guarantee and what follows from it, before any data."""
        ...

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        """The kept items of the users' sets, (ε, δ)-private for one user added or removed."""
        ...


@dataclass(frozen=True)
class KeepsD:
    """Methods by which each user keeps d random items, and each item is judged by its number of users."""

    noise_share: ClassVar[None] = None

    d: int = 1

    @property
    def items_per_user(self) -> int:
        return self.d


def unweighted(items: NDArray[np.int64]) -> Selected:
    """Kept items of a method whose noisy weights are not published."""
    return Selected(items, np.zeros(0))
