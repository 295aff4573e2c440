"""Numbers that say which way they were rounded: exact or 300-bit arithmetic inside, floats only outward."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import mpmath

PRECISION = 300  # bits; results are good to far more than SLACK
# relative allowance for all errors of a computation at PRECISION (proofs/noise.md, "Tails")
SLACK = Fraction(1, 1 << 90)
_TINY = mpmath.ldexp(1, -1100)  # far below the smallest float above 0


def as_fraction(number: Any) -> Fraction:
    """A float, integer or mpmath number as the exact rational it stands for."""
    if isinstance(number, mpmath.mpf):
        if not mpmath.isfinite(number):
            raise OverflowError("an infinite number is no fraction")
        sign, mantissa, exponent, _bits = number._mpf_
        return Fraction(int(-mantissa if sign else mantissa)) * Fraction(2) ** int(exponent)
    return Fraction(number)


def round_up(number: Any) -> float:
    """The smallest float that is not below the number; infinity stays."""
    if number == math.inf:
        return math.inf
    exact = as_fraction(number)
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def bound_above(number: Any) -> float:
    """A float that is surely not below the positive real number of which `number` is a computation at
    PRECISION.
    """
    if 0 < number < _TINY:  # as a fraction it may have more digits than there is room for
        return math.ulp(0.0)
    return round_up(as_fraction(number) * (1 + SLACK))


def sum_up(numbers: Iterable[float]) -> float:
    """The exact sum of floats, rounded up once."""
    listed = list(numbers)
    return math.inf if math.inf in listed else round_up(sum(map(Fraction, listed), Fraction(0)))
