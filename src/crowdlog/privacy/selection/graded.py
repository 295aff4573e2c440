"""Adaptive rounds in which every item has a bar of its own. Proof: proofs/ladder.md.

The rounds are those of `AdaptiveGaussian`. What differs: the bar is a function of the item's text and of what
is public already, and items of public lists take part whether or not anybody holds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.adaptive_gaussian import REACH, SPREAD, WHOLE, AdaptiveGaussian, round_noise
from crowdlog.privacy.selection.base import Selected
from crowdlog.privacy.selection.graded_kernels import (
    OUT,
    add_drawn,
    in_order_of_holders,
    keep_lists,
    renumber,
    steer,
    weigh,
)
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Floats, Ints

# the noise of one round for the items (by number) that are still alive
NoiseOf = Callable[[int, Any], Ints]
WEIGHT = WHOLE * kernels.UNIT  # noisy sums are whole numbers of 1/WEIGHT
CLEARED = 0.5  # items are numbered anew when fewer than this part of them are left: it costs like a round
AT_ONCE = 1 << 17  # items that get noise at a time: they stay in the processor's cache
# Standard deviations of the noise to come: an item so far above its bar is left out of the lists. From here
# about one in ten million comes back, at the price of a round.
RESTING = 6.0
HALF = 0.5 / kernels.UNIT  # what rounding the noise of all rounds adds at most


@dataclass(frozen=True)
class Grades:
    """The class of each item (negative: it takes no part); of each class the bar, in weight, and the prior,
    from 0 to 1: public functions of the class.
    """

    kind: NDArray[np.int32]
    bars: Floats
    priors: Floats

    @classmethod
    def alike(cls, size: int, bar: float) -> Grades:
        """So many items of one class."""
        return cls(np.zeros(size, np.int32), np.array([bar]), np.ones(1))


@dataclass(frozen=True)
class Graded:
    """Rounds with noise of this μ altogether."""

    method: AdaptiveGaussian
    mu: float

    def bar(self, z: Any) -> Any:
        """The bar that noise alone reaches with probability at most P(N ≥ z)."""
        return HALF + np.asarray(z) / self.mu

    def select(self, incidence: Incidence, grades: Grades, randomness: Randomness) -> Selected:
        """Every item that has a class takes part, held or not: give no class to others."""

        def fresh(place: int, alive: Any) -> Ints:
            return RoundedGaussian(self.scales[place]).draw(len(alive), randomness)

        return self.rounds(incidence, grades, fresh)

    @property
    def scales(self) -> list[float]:
        """The noise of each round, in weight units."""
        return [round_noise(self.mu, share) for share in self.method.shares()]

    def rounds(self, incidence: Incidence, grades: Grades, noise: NoiseOf) -> Selected:
        """All rounds, with noise from wherever it comes: fresh, or that of paths drawn beforehand."""
        race, sigma, done = _Race.of(incidence, grades), WEIGHT / self.mu, 0
        for place, share in enumerate(self.method.shares()):
            weigh(race.offsets, race.ends, race.items, race.worth, race.weights, kernels.UNIT, share)
            race.add_noise(lambda ids, place=place: noise(place, ids), share)  # type: ignore[misc]
            done += share
            if done < WHOLE:
                part = done / WHOLE
                reach = 1 + REACH * (1 - part) / part
                spread = SPREAD * sigma * math.sqrt(part * reach**2 + 1 - part)
                race.aim(reach, spread, math.sqrt(1 - part) * sigma)
        kept = np.flatnonzero((race.worth != OUT) & (race.weights >= race.bars[race.kind]))
        kept = kept[np.argsort(race.ids[kept])]
        return Selected(race.ids[kept].astype(np.int64), race.weights[kept] / WEIGHT)


@dataclass
class _Race:
    """Items that are still in the race, and who holds them: user u `items[offsets[u]:offsets[u + 1]]`, of
    which those from `ends[u]` on have left her list: they are out for good, or they rest.

    An item far above its bar gets nothing, round after round, and is held by many: it rests until it is worth
    something again, which it hardly ever is. Items that many hold are numbered first, so that they stay in
    the processor's cache; of about as many in the order of their first holders, so that rounds read memory in
    its order.
    """

    offsets: Ints
    ends: Ints
    items: Any
    ids: Any  # of each item its number outside
    kind: Any
    bars: Ints
    priors: Any
    weights: Ints
    worth: Any

    @classmethod
    def of(cls, incidence: Incidence, grades: Grades) -> _Race:
        # Made by numpy, not in the compiled loop: numpy asks for large pages, which cost far less to get.
        items, ids = np.empty(len(incidence.items), np.int32), np.empty(len(grades.kind), np.int32)
        ids = ids[: in_order_of_holders(incidence.items, grades.kind, items, ids)]
        kind, priors = grades.kind[ids], (grades.priors * kernels.FULL).astype(np.int16)
        return cls(
            incidence.offsets.copy(),
            incidence.offsets[1:].copy(),
            items,
            ids,
            kind,
            np.ceil(grades.bars * WEIGHT).astype(np.int64),
            priors,
            np.zeros(len(ids), np.int64),
            np.where(kind >= 0, priors[kind], OUT).astype(np.int16),
        )

    def add_noise(self, noise: Callable[[Any], Ints], share: int) -> None:
        """Add noise to the weight of every item that has not been dropped."""
        for start in range(0, len(self.ids), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            alive = self.ids[part][self.worth[part] != OUT]
            add_drawn(self.weights[part], self.worth[part], noise(alive), share)

    def aim(self, reach: float, spread: float, left: float) -> None:
        """What one more unit of weight is worth to each item, from noisy weights alone."""
        alive, back = steer(
            self.weights,
            self.kind,
            self.bars,
            self.priors,
            (reach, spread, left, RESTING * left),
            self.worth,
        )
        if back:
            self.ends = self.offsets[1:].copy()
        if alive < CLEARED * len(self.ids):
            self._number_anew()

    def _number_anew(self) -> None:
        """Without those who are out. Everything is moved where it lies: what is read again and again comes to
        lie together, and no memory is asked for but that of the new numbers.
        """
        renumbered = np.empty(len(self.ids), np.int32)
        alive = renumber(self.worth, self.ids, self.kind, self.weights, renumbered)
        self.items = self.items[: keep_lists(self.offsets, self.ends, self.items, renumbered)]
        self.ids, self.kind = self.ids[:alive], self.kind[:alive]
        self.weights, self.worth = self.weights[:alive], self.worth[:alive]

    def __repr__(self) -> str:
        return f"_Race({len(self.ids)} items)"
