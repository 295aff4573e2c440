"""Which keys may be seen: a key is selected when count + discrete Laplace noise > K.

The exact ε and δ of that. Proofs: proofs/threshold.md.

K is an integer: count + noise is one, so `> K` and `> ⌊K⌋` select the same keys. One draw may serve twice:
publishing the noisy count itself where it exceeds K costs nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath

from crowdlog.errors import InputError
from crowdlog.privacy.guarantee import Guarantee, approximate
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounding import PRECISION, bound_above, round_up


@dataclass(frozen=True)
class Threshold:
    """Select where count + DiscreteLaplace(scale) > K; a user adds at most d to all counts together."""

    scale: float
    K: int
    d: int
    # each user adds at most 1 to a key (counts of people) instead of up to d (impressions)
    distinct: bool = False
    # raw filter before the noise: keys with a true count below this are never selected (n people: (n − 1)·d +
    # 1 impressions)
    at_least: int = 1

    def __post_init__(self) -> None:
        for name, value in (("d", self.d), ("at_least", self.at_least)):
            if not isinstance(value, int) or value < 1:
                raise InputError(f"The {name} of a threshold must be an integer of at least 1. Got {value}.")
        lowest = self._crossing(self.largest)
        if not isinstance(self.K, int) or lowest > self.K:
            raise InputError(f"The threshold K must be an integer of at least {lowest} here. Got {self.K}.")

    @property
    def largest(self) -> int:
        """The most that one user adds to one key."""
        return 1 if self.distinct else self.d

    @property
    def noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.scale)

    def _crossing(self, added: int) -> int:
        """The highest true count of a key that could not be selected without the user and can with what she
        added.
        """
        return self.at_least - 1 + added

    def shown(self, added: int) -> Any:
        """P(such a key is selected), an mpmath number of relative error below 2^-100."""
        return self.noise.precise_tail(self.K - self._crossing(added))

    @property
    def epsilon(self) -> float:
        """d·ln α, rounded up."""
        with mpmath.workprec(PRECISION):
            return max(
                laplace_epsilon(self.d, self.scale), bound_above(-self.d * mpmath.log1p(-self.shown(1)))
            )

    @property
    def ideal_delta(self) -> float:
        """P(any key of hers alone is selected) for the worst of all ways to spread d units over keys, with
        ideal noise; rounded up.

        The worst way is one of two: d keys with one unit each, or all d units in one key.
        """
        with mpmath.workprec(PRECISION):
            spread = -mpmath.expm1(self.d * mpmath.log1p(-self.shown(1)))
            return min(1.0, bound_above(max(spread, self.shown(self.largest))))

    @property
    def delta(self) -> float:
        """ideal_delta and the distance of the noise sampler from ideal noise; rounded up."""
        return charge_sampler(
            self.ideal_delta, self.epsilon, self.d * Fraction(self.noise.statistical_distance)
        )

    def guarantee(self) -> Guarantee:
        return approximate(self.epsilon, self.delta)

    def probabilistic(self, users: int) -> Guarantee:
        """(ε, δ)-probabilistic differential privacy of a log of at most so many users (Götz et al.), for
        ideal noise; δ rounded up.

        The outputs that tell too much are those with a key of exactly `at_least` people; at most
        users·d/at_least keys have that many.
        """
        if self.largest > 1:
            raise InputError(
                "Probabilistic differential privacy is proved for counts of people only: a threshold with "
                "distinct=True."
            )
        at_risk = users * self.d // self.at_least
        with mpmath.workprec(PRECISION):
            delta = bound_above(-mpmath.expm1(at_risk * mpmath.log1p(-self.shown(1))))
        return Guarantee(self.epsilon, min(1.0, delta), "probabilistic DP")


@lru_cache(maxsize=256)  # a release asks for its promise, its plan and its tables: the same threshold
def smallest_threshold(
    epsilon: float, delta: float, d: int, *, distinct: bool = False, at_least: int = 1
) -> Threshold:
    """The threshold of the least noise for (ε, δ): scale = d/ε rounded up, then the smallest K whose ε and δ
    are not above those asked for.
    """
    if not (0 < delta < 1 and 0 < epsilon < math.inf):
        raise InputError(
            f"A threshold needs a positive ε and a δ between 0 and 1. Got ε = {epsilon} and δ = {delta}."
        )
    lowest = at_least - 1 + (1 if distinct else d)
    at = Threshold(round_up(d / Fraction(epsilon)), lowest, d, distinct, at_least)
    if charge_sampler(0.0, epsilon, d * Fraction(at.noise.statistical_distance)) >= delta:
        raise InputError(
            f"No threshold gives δ = {delta:g} with an ε of {epsilon:g}: ε is too large for the precision of "
            "the noise. Choose a smaller ε."
        )

    def enough(K: int) -> bool:
        tried = replace(at, K=K)
        return tried.delta <= delta and tried.epsilon <= epsilon

    step = 1
    while not enough(lowest + step):
        step *= 2
    low, high = lowest - 1, lowest + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return replace(at, K=high)


def charge_sampler(delta: float, epsilon: float, distance: Fraction) -> float:
    """The δ of a mechanism whose output is within `distance` of one with (ε, δ), on the parts in which
    neighbours differ: δ + distance·(1 + e^ε).
    """
    if epsilon > 700:  # e^ε would not fit into a float; the sum is far above 1
        return 1.0
    with mpmath.workprec(PRECISION):
        grown = bound_above(mpmath.exp(mpmath.mpf(epsilon)))
    return min(1.0, round_up(Fraction(delta) + distance * (1 + Fraction(grown))))


def laplace_epsilon(sensitivity: int, scale: float) -> float:
    """The ε of publishing counts with discrete Laplace noise when one user moves them by `sensitivity`
    together; rounded up.
    """
    return round_up(sensitivity / Fraction(scale))


def laplace_guarantee(sensitivity: int, scale: float) -> Guarantee:
    """The promise of publishing such counts, with the sampler's distance charged to δ."""
    epsilon = laplace_epsilon(sensitivity, scale)
    return approximate(
        epsilon,
        charge_sampler(0.0, epsilon, sensitivity * Fraction(DiscreteLaplace(scale).statistical_distance)),
    )
