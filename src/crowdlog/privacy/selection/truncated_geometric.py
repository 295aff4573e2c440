"""Truncated geometric selection (Desfontaines, Voss, Gipson, Mandayam 2022): optimal when each user holds one
item.

Proof: proofs/selection-counts.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.privacy.gaussian import check_epsilon_delta
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.base import KeepsD, Selected, SelectionPromise, unweighted
from crowdlog.privacy.selection.incidence import Incidence

BITS = 128
ONE = 1 << BITS
LOW_WORD = (1 << 64) - 1
SMALLEST_EPSILON = 1e-4  # its list of chances has a million entries


@dataclass(frozen=True)
class TruncatedGeometric(KeepsD):
    """Each user keeps d random items; each item is selected on its own with (ε/d, δ/d)."""

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        chances = self.chances(epsilon, delta)
        return SelectionPromise(
            approximate(epsilon, delta), len(chances), 0.0, {"d": self.d, "always_from": len(chances)}
        )

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        chances = self.chances(epsilon, delta)
        holders = incidence.bounded(self.d, randomness).holders()
        ids = np.flatnonzero(holders)
        return unweighted(ids[passes(chances, holders[ids], randomness)])

    def chances(self, epsilon: float, delta: float) -> list[int]:
        """The chance, in 1/2¹²⁸, that an item with 0, 1, 2, … users is kept: the largest that both directions
        allow, rounded down. Beyond: 1.
        """
        check_epsilon_delta(epsilon, delta)
        if epsilon / self.d < SMALLEST_EPSILON:
            raise InputError(
                f"Truncated geometric selection needs ε/d of at least {SMALLEST_EPSILON}. "
                f"Got {epsilon / self.d}."
            )
        import mpmath

        with mpmath.workprec(4 * BITS):
            each = mpmath.mpf(epsilon) / self.d
            grow = int(mpmath.floor(mpmath.ldexp(mpmath.exp(each), BITS)))  # ≤ e^ε
            fall = int(mpmath.ceil(mpmath.ldexp(mpmath.exp(-each), BITS)))  # ≥ e^−ε
        slip = int(Fraction(delta) * ONE / self.d)
        chances = [0]
        while chances[-1] < ONE:
            last = chances[-1]
            rest = max(0, ONE - last - slip)
            chances.append(min(ONE, (grow * last >> BITS) + slip, ONE - -(-fall * rest >> BITS)))
        return chances[:-1]


def passes(chances: list[int], counts: NDArray[np.int64], randomness: Randomness) -> NDArray[np.bool_]:
    """True with the chance of each count: a 128-bit number below it, compared word by word."""
    high = np.array([chance >> 64 for chance in chances], np.uint64)
    low = np.array([chance & LOW_WORD for chance in chances], np.uint64)
    words = np.frombuffer(randomness.bytes(16 * len(counts)), np.uint64).reshape(-1, 2)
    known = np.minimum(counts, len(chances) - 1)
    below = (words[:, 0] < high[known]) | ((words[:, 0] == high[known]) & (words[:, 1] < low[known]))
    return np.asarray((counts >= len(chances)) | below, np.bool_)
