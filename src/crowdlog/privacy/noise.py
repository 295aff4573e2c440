"""Discrete noise on the integers, drawn exactly from random bits. Proofs: proofs/noise.md.

A float parameter is the exact rational it stands for. No draw passes through a float.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounding import PRECISION, bound_above
from crowdlog.privacy.table import Table, draw_digits

FIXED = 256  # bits after the point of a weight
CUT = 130  # the support ends where either tail holds less than 2^-CUT
# Laplace scales up to here use one table of 180·scale entries, larger ones a table per digit
SINGLE_TABLE = 100
DIGIT = 256  # base of the digits: a table of 511 entries leaves 1 draw in 100 undecided
LARGEST_SCALE = 1e12  # sums of such draws stay far inside 64 bits
LARGEST_SIGMA = 1e5  # one table of 27·σ entries: seconds to build at this end


@dataclass(frozen=True)
class DiscreteLaplace:
    """P(x) ∝ e^(−|x|/scale)."""

    scale: float

    def __post_init__(self) -> None:
        _check("scale", self.scale, LARGEST_SCALE)

    def draw(self, n: int, randomness: Randomness) -> NDArray[np.int64]:
        """Return n independent draws."""
        return draw_digits(_laplace_tables(self.scale), DIGIT, n, randomness)

    def log_pmf(self, x: ArrayLike) -> NDArray[np.float64]:
        """ln P(x), as a float rounded to nearest: for tests and plots, never for a guarantee."""
        return np.asarray(math.log(math.tanh(0.5 / self.scale)) - np.abs(x) / self.scale, dtype=np.float64)

    def precise_tail(self, t: int) -> Any:
        """P(Z > t) as an mpmath number of relative error below 2^-100."""
        with mpmath.workprec(PRECISION):
            rate = 1 / mpmath.mpf(self.scale)
            beyond = 1 / (1 + mpmath.exp(-rate))
            return beyond * mpmath.exp(-rate * (t + 1)) if t >= -1 else 1 - beyond * mpmath.exp(rate * t)

    def tail(self, t: int) -> float:
        """P(Z > t), rounded up."""
        return min(1.0, bound_above(self.precise_tail(t)))

    @property
    def sd(self) -> float:
        """The standard deviation, √2·√p/(1 − p) with p = e^(−1/scale): for error bars, not for guarantees."""
        return math.sqrt(2) * math.exp(-0.5 / self.scale) / -math.expm1(-1 / self.scale)

    @property
    def statistical_distance(self) -> float:
        """Upper bound of the total variation distance between one draw and this distribution, to be charged
        to δ.
        """
        return sum(table.statistical_distance for table in _laplace_tables(self.scale))


@dataclass(frozen=True)
class DiscreteGaussian:
    """P(x) ∝ e^(−x²/2σ²)."""

    sigma: float

    def __post_init__(self) -> None:
        _check("sigma", self.sigma, LARGEST_SIGMA)

    def draw(self, n: int, randomness: Randomness) -> NDArray[np.int64]:
        """Return n independent draws."""
        return draw_digits([_gaussian_table(self.sigma)], 1, n, randomness)

    def log_pmf(self, x: ArrayLike) -> NDArray[np.float64]:
        """ln P(x), as a float rounded to nearest: for tests and plots, never for a guarantee."""
        return np.asarray(
            -(np.square(np.asarray(x, dtype=np.float64))) / (2 * self.sigma**2)
            - float(mpmath.log(self._mass())),
            dtype=np.float64,
        )

    def precise_tail(self, t: int) -> Any:
        """P(Z > t) as an mpmath number of relative error below 2^-100."""
        if t < 0:
            with mpmath.workprec(PRECISION):
                return 1 - self.precise_tail(-t - 1)
        with mpmath.workprec(PRECISION):
            first = mpmath.exp(-(mpmath.mpf(t + 1) ** 2) / (2 * mpmath.mpf(self.sigma) ** 2))
            return (
                first
                * mpmath.ldexp(mpmath.mpf(sum(_gaussian_weights(self.sigma, t + 1))), -FIXED)
                / self._mass()
            )

    def tail(self, t: int) -> float:
        """P(Z > t), rounded up."""
        return min(1.0, bound_above(self.precise_tail(t)))

    @property
    def statistical_distance(self) -> float:
        """Upper bound of the total variation distance between one draw and this distribution, to be charged
        to δ.
        """
        return _gaussian_table(self.sigma).statistical_distance

    def _mass(self) -> Any:
        """Σ e^(−x²/2σ²) over the integers: directly for small σ, by Poisson summation for large."""
        with mpmath.workprec(PRECISION):
            sigma = mpmath.mpf(self.sigma)
            rate, factor = (
                (1 / (2 * sigma**2), mpmath.mpf(1))
                if self.sigma < 1
                else (2 * (mpmath.pi * sigma) ** 2, sigma * mpmath.sqrt(2 * mpmath.pi))
            )
            terms = int(mpmath.sqrt(PRECISION / rate)) + 2
            return factor * (1 + 2 * mpmath.fsum(mpmath.exp(-rate * k * k) for k in range(1, terms)))


def _check(name: str, value: float, largest: float) -> None:
    if not (isinstance(value, float | int) and 0.001 <= value <= largest):
        raise InputError(
            f"The {name} of discrete noise must be a number from 0.001 to {largest:g}. Got {value}."
        )


def _fixed(number: Any) -> int:
    """A real number of [0, 1] with FIXED bits after the point, rounded down."""
    return int(mpmath.floor(mpmath.ldexp(number, FIXED)))


@lru_cache(maxsize=32)
def _laplace_tables(scale: float) -> list[Table]:
    """[coarse, …, fine]: the digits, in base DIGIT, of a discrete Laplace number; a single table for small
    scales.
    """
    with mpmath.workprec(PRECISION + FIXED):
        rate, fine = 1 / mpmath.mpf(scale), []
        while rate * SINGLE_TABLE < 1:
            # The difference of two independent last digits R = G mod m of geometric G: P(r) ∝ q^|r| −
            # q^(2m−|r|).
            powers = _geometric(rate, 0, 2 * DIGIT + 1)
            fine.append(_two_sided([powers[r] - powers[2 * DIGIT - r] for r in range(DIGIT)]))
            rate *= DIGIT
        return [_two_sided(_geometric(rate, 1 << (FIXED - CUT))), *reversed(fine)]


def _geometric(rate: Any, floor: int, most: int | None = None) -> list[int]:
    """e^(−rate·x) in fixed point for x = 0, 1, … while above the floor, or `most` of them."""
    factor, weight = _fixed(mpmath.exp(-rate)), 1 << FIXED
    weights: list[int] = []
    while weight > floor and (most is None or len(weights) < most):
        weights.append(weight)
        weight = weight * factor >> FIXED
    return weights


@lru_cache(maxsize=32)
def _gaussian_table(sigma: float) -> Table:
    return _two_sided(_gaussian_weights(sigma, 0))


def _gaussian_weights(sigma: float, start: int) -> list[int]:
    """e^(−(x² − start²)/2σ²) in fixed point for x = start, start + 1, … while above 2^-CUT."""
    with mpmath.workprec(PRECISION + FIXED):
        double_variance = 2 * mpmath.mpf(sigma) ** 2
        ratio, shrink = (
            _fixed(mpmath.exp(-(2 * start + 1) / double_variance)),
            _fixed(mpmath.exp(-2 / double_variance)),
        )
    weight = 1 << FIXED
    weights: list[int] = []
    while weight > 1 << (FIXED - CUT):
        weights.append(weight)
        weight = weight * ratio >> FIXED
        ratio = ratio * shrink >> FIXED
    return weights


def _two_sided(weights: list[int]) -> Table:
    """The table of a symmetric distribution from its weights at 0, 1, 2, …"""
    return Table([*weights[:0:-1], *weights], first=1 - len(weights))
