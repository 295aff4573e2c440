"""MAD2R (Chen, Cohen-Addad, Epasto, Zadimoghaddam 2025): two rounds of Gaussian noise; in each, users take
back what they gave to items beyond a target and give it to their items again.

Proof: proofs/selection-mad2r.md.

What the first round shows steers the second: items that it released take no more weight, nor do those far
below; those that will surely pass take less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.gaussian import check_epsilon_delta, upper_quantile
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection.base import Selected, SelectionPromise, unweighted
from crowdlog.privacy.selection.dp_sips import round_budgets
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Ints

SENSITIVITY = 1.002  # 1, and what rounding may add (proofs/selection-mad2r.md, "Arithmetic")
UNIT = 1 << 22  # weights are whole numbers of 1/UNIT
WHOLE = 1 << 10  # biases are whole numbers of 1/WHOLE
LEAST_BIAS, MOST_LIFT = 0.5, 2.0  # of an even share, in the second round
FAR_ABOVE, FAR_BELOW = 1.0, 3.0  # standard deviations of the first round: surely above, surely below
MARGIN = 2.0  # the target lies so many standard deviations above the threshold


@dataclass(frozen=True)
class MADRound:
    """Noise in weight; the threshold, the target and how much of what comes back is given again."""

    sigma: float
    threshold: float
    discount: float
    lift: float

    @property
    def target(self) -> float:
        return self.threshold + MARGIN * self.sigma

    def noise(self) -> RoundedGaussian:
        """In weight units."""
        return RoundedGaussian(UNIT * self.sigma)


@dataclass(frozen=True)
class MAD2R:
    """`first`: the share of the first round. Users with more than `adaptive` items take nothing back.

    `tight`: the rounds are composed as one Gaussian mechanism; else ε and δ are divided among them.
    """

    items_per_user: int = 100  # as published, like all that follows
    noise_share: ClassVar[float] = 0.5  # of δ
    adaptive: int = 50
    first: float = 0.1
    tight: bool = True

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        rounds = self.rounds(epsilon, delta)
        parameters: dict[str, float] = {"items_per_user": self.items_per_user, "first_share": self.first}
        for number, one in enumerate(rounds, 1):
            one.noise()  # where it cannot be drawn that is told before anything is charged
            parameters |= {f"sigma_{number}": one.sigma, f"threshold_{number}": one.threshold}
        last = rounds[-1]
        return SelectionPromise(approximate(epsilon, delta), last.threshold, last.sigma, parameters)

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        first, second = self.rounds(epsilon, delta)
        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        sums = self._noisy(held, np.full(held.size, WHOLE, np.int64), first, randomness)
        found = sums >= first.threshold
        waiting = np.flatnonzero(~found & (sums + FAR_BELOW * first.sigma >= second.threshold))
        bias = biases(sums[waiting], first.sigma, second.threshold)
        later = self._noisy(held.only(waiting), bias, second, randomness) >= second.threshold
        found[waiting[later]] = True
        return unweighted(ids[found])

    def rounds(self, epsilon: float, delta: float) -> tuple[MADRound, MADRound]:
        check_epsilon_delta(epsilon, delta)
        first, second = round_budgets(epsilon, delta, [self.first, 1 - self.first], self.tight)
        return self._round(*first, 1.0, 1.0), self._round(*second, LEAST_BIAS, MOST_LIFT)

    def _round(self, mu: float, tail: float, least: float, lift: float) -> MADRound:
        """The threshold is that of users with d items of their own, whatever d: none of these gets more than
        the largest share and all that comes back to her.
        """
        discount = largest_discount(self.adaptive, least, lift)
        threshold = max(
            min(1.0, lift / math.sqrt(d))
            + discount / d
            + 1 / UNIT
            + SENSITIVITY * upper_quantile(tail, d) / mu
            for d in range(1, self.items_per_user + 1)
        )
        return MADRound(SENSITIVITY / mu, threshold, discount, lift)

    def _noisy(
        self, held: Incidence, bias: Ints, one: MADRound, randomness: Randomness
    ) -> NDArray[np.float64]:
        from crowdlog.privacy.selection import kernels

        weights = kernels.reroute(
            held.offsets, held.items, bias, UNIT, WHOLE, one.lift, self.adaptive,
            int(one.target * UNIT), one.discount,
        )  # fmt: skip
        return np.asarray((weights + one.noise().draw(held.size, randomness)) / UNIT, np.float64)


def biases(sums: NDArray[np.float64], sigma: float, threshold: float) -> Ints:
    """Less than a whole for items that are above the threshold even if the noise lifted them."""
    surely = np.maximum(sums - FAR_ABOVE * sigma, threshold)
    found: Ints = np.floor(WHOLE * np.maximum(LEAST_BIAS, threshold / surely)).astype(np.int64)
    return found


def largest_discount(adaptive: int, least: float, lift: float) -> float:
    """With which one user moves all weights together by an L2 length of at most 1 (the proof's Lemma 1)."""
    found = 1.0
    for d in range(2, adaptive + 1):
        share = 1 / math.sqrt(d)
        most = min(1.0, lift * share)
        room = least * share * (2 - share) * (1 - 1e-3)
        square = (1 + share * most) / 2
        found = min(found, (math.sqrt(most**2 + square * room) - most) / square)
    return found
