"""The Gaussian mechanism in numbers: its exact δ, the noise it needs, and quantiles of the normal
distribution, each rounded to the safe side.

μ is the sensitivity divided by the standard deviation of the noise. Adaptive composition adds squares: μ² =
μ₁² + μ₂² + … (Dong, Roth, Su 2022, Corollary 3.3).
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from crowdlog.errors import InputError
from crowdlog.privacy.rounding import PRECISION, bound_above

_NORMAL = NormalDist()


def quantile(probability: float) -> float:
    """Φ⁻¹, in floats."""
    if 0 < probability < 1:
        return _NORMAL.inv_cdf(probability)
    return -math.inf if probability <= 0 else math.inf


def below(z: float) -> float:
    """Φ, in floats, with all their digits in both tails."""
    return math.erfc(-z / math.sqrt(2)) / 2


def check_epsilon_delta(epsilon: float, delta: float) -> None:
    """Refuse what is not a promise."""
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise InputError(f"ε must be a number above 0. Got {epsilon}.")
    if not 1e-30 <= delta < 1:
        raise InputError(
            "δ must be at least 1e-30 and below 1: a threshold on keys nobody else holds can fail. "
            f"Got {delta}."
        )


def gaussian_delta(epsilon: float, mu: float) -> float:
    """The smallest δ for which a Gaussian mechanism of this μ is (ε, δ)-private (Balle and Wang 2018, Theorem
    8), rounded up.
    """
    return bound_above(_precise_delta(epsilon, mu))


@lru_cache(maxsize=256)
def largest_mu(epsilon: float, delta: float) -> float:
    """The largest float μ whose Gaussian mechanism is (ε, δ)-private, found by halving; at most 2⁻⁵⁰ too
    small.
    """
    low, high = 0.0, 1.0
    while gaussian_delta(epsilon, high) <= delta:
        low, high = high, 2 * high
    while high - low > high * 2.0**-50:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, middle) <= delta else (low, middle)
    return low


@lru_cache(maxsize=1024)
def upper_quantile(tail: float, draws: int = 1) -> float:
    """A float z, rounded up, for which the largest of `draws` normal numbers is at or above z with
    probability at most `tail`.
    """
    import mpmath

    with mpmath.workprec(PRECISION):
        each = -mpmath.expm1(mpmath.log1p(-mpmath.mpf(tail)) / draws)  # 1 − (1 − tail)^(1/draws)
        if each < sys.float_info.min:  # floats lose digits there: the first guess would be far off
            raise OverflowError(f"a chance of {tail} is too small for a threshold")
        z = -quantile(float(each))
        while bound_above(_upper(z)) > each:
            z += 2.0**-40  # a first guess that fell short by rounding
    return z


def largest_of(z: float, draws: int) -> float:
    """P(the largest of `draws` normal numbers is at or above z), rounded up."""
    import mpmath

    with mpmath.workprec(PRECISION):
        return min(1.0, bound_above(-mpmath.expm1(draws * mpmath.log1p(-_upper(z)))))


def shifted(probability: float, mu: float) -> float:
    """The most that a Gaussian mechanism of this μ makes of an event of this probability: Φ(Φ⁻¹(p) + μ),
    rounded up.
    """
    import mpmath

    with mpmath.workprec(PRECISION):
        z = -quantile(probability)
        while _upper(z) < probability:
            z -= 2.0**-40  # a first guess that went too far by rounding
        return min(1.0, bound_above(_upper(mpmath.mpf(z) - mpmath.mpf(mu))))


def _upper(z: Any) -> Any:
    """P(N ≥ z) of a normal number."""
    import mpmath

    return mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)) / 2


def _precise_delta(epsilon: float, mu: float) -> Any:
    import mpmath

    with mpmath.workprec(PRECISION):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return _upper(e / m - m / 2) - mpmath.exp(e) * _upper(e / m + m / 2)
