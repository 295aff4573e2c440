"""The affinity threshold Θ as an exact fraction, and the exact test cosine ≥ Θ."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numba import njit, uint64

from crowdlog.errors import InputError

# 0.9 means nine tenths, not the nearest binary number. With den ≤ 10⁴ and vector masses below 2⁴⁹ the
# products below stay under 2⁶³.
_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True)
class Theta:
    """Θ = num/den, in (0, 1]."""

    num: int
    den: int

    @classmethod
    def of(cls, value: float) -> Theta:
        """Read Θ as the decimal number a person wrote."""
        try:
            fraction = Fraction(str(value))
        except ValueError:
            fraction = Fraction(0)
        if not 0 < fraction <= 1:
            raise InputError(f"The 'theta' parameter must be above 0 and at most 1. Got {value}.")
        if fraction.denominator > _LARGEST_DENOMINATOR:
            raise InputError(
                "The 'theta' parameter can have at most four decimals, so that affinity is decided exactly. "
                f"Got {value}."
            )
        return cls(fraction.numerator, fraction.denominator)

    @property
    def is_one(self) -> bool:
        """Θ = 1 means the same text: plain k-anonymity."""
        return self.num == self.den

    def __float__(self) -> float:
        return self.num / self.den


@njit(cache=True, inline="always")
def _product(a: int, b: int) -> tuple[int, int]:
    """a·b of two unsigned 64-bit numbers as (high, low) 64-bit halves."""
    low32 = uint64(0xFFFFFFFF)
    thirty_two = uint64(32)
    a0, a1 = uint64(a) & low32, uint64(a) >> thirty_two
    b0, b1 = uint64(b) & low32, uint64(b) >> thirty_two
    first = a0 * b0
    middle = a1 * b0 + (first >> thirty_two)
    other = a0 * b1 + (middle & low32)
    return a1 * b1 + (middle >> thirty_two) + (other >> thirty_two), (other << thirty_two) | (first & low32)


@njit(cache=True)
def is_affine(overlap: int, p: int, q: int, num: int, den: int) -> bool:
    """Decide overlap / √(p·q) ≥ num/den exactly, for masses below 2⁴⁹.

    Floats decide when they are far enough apart (their error is below 1e-15), 128-bit integers otherwise.
    """
    left = float(overlap * den) * float(overlap * den)
    right = float(p * num) * float(q * num)
    if left > right * (1 + 1e-12):
        return True
    if left < right * (1 - 1e-12):
        return False
    left_high, left_low = _product(overlap * den, overlap * den)
    right_high, right_low = _product(p * num, q * num)
    return bool(left_high > right_high or (left_high == right_high and left_low >= right_low))
