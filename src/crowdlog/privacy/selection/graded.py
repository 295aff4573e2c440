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
from numba import njit
from numpy.typing import NDArray

from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.adaptive_gaussian import REACH, SPREAD, WHOLE, AdaptiveGaussian, round_noise
from crowdlog.privacy.selection.base import Selected
from crowdlog.privacy.selection.incidence import Incidence

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
# the noise of one round for the items (by number) that are still alive
NoiseOf = Callable[[int, Ints], Ints]
WEIGHT = WHOLE * kernels.UNIT  # noisy sums are whole numbers of 1/WEIGHT
HALF = 0.5 / kernels.UNIT  # what rounding the noise of all rounds adds at most


@dataclass(frozen=True)
class Graded:
    """Rounds with noise of this μ altogether."""

    method: AdaptiveGaussian
    mu: float

    def bar(self, z: Any) -> Any:
        """The bar that noise alone reaches with probability at most P(N ≥ z)."""
        return HALF + np.asarray(z) / self.mu

    def select(self, incidence: Incidence, bars: Floats, prior: Floats, randomness: Randomness) -> Selected:
        """Every item of the incidence takes part, held or not: give no others.

        `bars` in weight, `prior` from 0 to 1: both public functions of the item.
        """

        def fresh(place: int, alive: Ints) -> Ints:
            return RoundedGaussian(self.scales[place]).draw(len(alive), randomness)

        return self.rounds(incidence, bars, prior, fresh)

    @property
    def scales(self) -> list[float]:
        """The noise of each round, in weight units."""
        return [round_noise(self.mu, share) for share in self.method.shares()]

    def rounds(self, incidence: Incidence, bars: Floats, prior: Floats, noise: NoiseOf) -> Selected:
        """All rounds, with noise from wherever it comes: fresh, or that of paths drawn beforehand."""
        held, ids = incidence, np.arange(incidence.size)
        lengths = np.full(held.users, kernels.UNIT, np.int64)  # one unit for everybody
        bar, sigma = np.ceil(bars * WEIGHT).astype(np.int64), WEIGHT / self.mu
        known = (prior * kernels.FULL).astype(np.int16)
        weights, worth, done = np.zeros(len(ids), np.int64), known.copy(), 0
        for place, share in enumerate(self.method.shares()):
            weights += share * (kernels.weigh(held.offsets, held.items, worth, lengths) + noise(place, ids))
            done += share
            if done < WHOLE:
                part = done / WHOLE
                reach = 1 + REACH * (1 - part) / part
                spread = SPREAD * sigma * math.sqrt(part * reach**2 + 1 - part)
                steer_each(weights, bar, reach, spread, math.sqrt(1 - part) * sigma, known, worth)
                alive = np.flatnonzero(worth >= 0)
                held, ids = held.only(alive), ids[alive]
                weights, worth, known, bar = weights[alive], worth[alive], known[alive], bar[alive]
        kept = weights >= bar
        return Selected(ids[kept], weights[kept] / WEIGHT)


@njit(cache=True)
def steer_each(
    weights: Any, bars: Any, reach: float, spread: float, left: float, prior: Any, worth: Any
) -> None:
    """`kernels.steer` with a bar for each item."""
    for item in range(len(weights)):
        above = weights[item] - bars[item]
        if above > 3.0 * left:
            worth[item] = 0
            continue
        t = 1.4 * above / left if above > 0.0 else max(0.0, (bars[item] - weights[item] * reach) / spread)
        bell = kernels.BELL[min(int(t * kernels.BELL_STEP), len(kernels.BELL) - 1)]
        alive = bell >= kernels.HOPELESS or above > 0.0
        worth[item] = np.int64(bell) * np.int64(prior[item]) // kernels.FULL if alive else -1
