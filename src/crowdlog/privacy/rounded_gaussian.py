"""Gaussian noise rounded to the integers, drawn exactly from random bits. Proof: proofs/selection-noise.md.

For an integer x, x + round(N) = round(x + N): the result is computed from a Gaussian mechanism over the
reals, so the exact privacy curve of the Gaussian mechanism holds for it, in any number of dimensions. (The
discrete Gaussian P(x) ∝ e^(−x²/2σ²) has no known exact curve in several dimensions, and sums of such numbers
are not of their kind.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.privacy.keyed import only
from crowdlog.privacy.normal_quantile import upper_quantiles
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounding import PRECISION, bound_above
from crowdlog.types import Floats, Ints

CHUNK = 1 << 20  # draws at a time: 30 MB of working space
# ≥ √(π/2)/2: how far the quantile moves over half a cell of relative size 1 (proofs/selection-noise.md, Lemma
# 2)
SLOPE = 0.627
FLOAT_ERROR = 1e-12  # allowance for the quantile and double arithmetic; the tests find less than 1e-14
COMPILED = 1 << 15  # so many draws at once are worth loading numba
LARGEST_SIGMA = 1e9  # σ·FLOAT_ERROR must stay far below one half


@dataclass(frozen=True)
class RoundedGaussian:
    """round(N) for N normal with mean 0 and standard deviation σ."""

    sigma: float

    def __post_init__(self) -> None:
        if not 1e-3 <= self.sigma <= LARGEST_SIGMA:
            less = " A larger ε, or a larger share of it, needs less noise." * (self.sigma > LARGEST_SIGMA)
            raise InputError(
                f"The sigma of rounded Gaussian noise must be a number from 0.001 to {LARGEST_SIGMA:g}. "
                f"Got {self.sigma}.{less}"
            )

    @property
    def sd(self) -> float:
        """The standard deviation, for error bars; without the twelfth that rounding adds to its square."""
        return self.sigma

    def draw(self, n: int, randomness: Randomness) -> Ints:
        """Return n independent draws."""
        drawn = np.empty(n, np.int64)
        for start in range(0, n, CHUNK):
            drawn[start : start + CHUNK] = self._chunk(
                min(CHUNK, n - start), only(randomness, slice(start, start + CHUNK))
            )
        return drawn

    def tail(self, t: int) -> float:
        """P(Z > t), rounded up."""
        import mpmath

        with mpmath.workprec(PRECISION):
            return min(
                1.0, bound_above(mpmath.erfc((mpmath.mpf(t) + 0.5) / (self.sigma * mpmath.sqrt(2))) / 2)
            )

    def _chunk(self, n: int, randomness: Randomness) -> Ints:
        """The first bit is the sign, 31 bits say in which cell of (0, ½) the tail probability lies; cells
        that hold a boundary get more bits.
        """
        words = np.frombuffer(randomness.bytes(4 * n), np.uint32)
        if n >= COMPILED:
            return self._compiled(words, randomness)
        negative = words < np.uint32(1 << 31)
        cells = np.where(negative, words, ~words)
        drawn, sure = self._round(cells.astype(np.float64), 32)
        doubt = np.flatnonzero(~sure)
        drawn[doubt] = self._refine(cells[doubt].astype(np.uint64), only(randomness, doubt))
        return np.negative(drawn, where=negative, out=drawn)

    def _compiled(self, words: NDArray[np.uint32], randomness: Randomness) -> Ints:
        """Like `_chunk`, in one compiled pass: the same numbers from the same random words."""
        from crowdlog.privacy.rounded_words import rounded_words

        drawn, unsure = rounded_words(words, self.sigma, SLOPE, FLOAT_ERROR)
        doubt = np.flatnonzero(unsure)
        own = words[doubt]
        negative = own < np.uint32(1 << 31)
        found = self._refine(np.where(negative, own, ~own).astype(np.uint64), only(randomness, doubt))
        drawn[doubt] = np.where(negative, -found, found)
        whole: Ints = drawn
        return whole

    def _refine(self, cells: NDArray[np.uint64], randomness: Randomness) -> Ints:
        """32 bits more for each, then as many as it takes."""
        finer = cells << np.uint64(32) | np.frombuffer(randomness.bytes(4 * len(cells)), np.uint32)
        drawn, sure = self._round(finer.astype(np.float64), 64)
        for at in np.flatnonzero(~sure):
            drawn[at] = self._exactly(int(finer[at]), 64, only(randomness, [at]))
        return drawn

    def _round(self, cells: Floats, bits: int) -> tuple[Ints, NDArray[np.bool_]]:
        """|N| rounded, and where that is certain for the whole cell [c, c+1)/2^bits of tail probabilities."""
        values = upper_quantiles((cells + 0.5) * 2.0**-bits) * self.sigma
        nearest = np.rint(values)
        with np.errstate(divide="ignore"):  # cell 0 reaches to infinity: never certain
            margin = self.sigma * (SLOPE / cells + FLOAT_ERROR)
        sure = 0.5 - np.abs(values - nearest) > margin
        return np.where(sure, nearest, 0).astype(np.int64), sure

    def _exactly(self, cell: int, bits: int, randomness: Randomness) -> int:
        while True:
            cell, bits = cell << 64 | int.from_bytes(randomness.bytes(8)), bits + 64
            low, high = (self._rounded_quantile(edge, bits) for edge in (cell + 1, cell))
            if low == high is not None:
                return high

    def _rounded_quantile(self, cell: int, bits: int) -> int | None:
        """round(σ·x) where P(N > x) = cell/2^bits; None at infinity."""
        import mpmath

        if cell == 0:
            return None
        with mpmath.workprec(bits + PRECISION):
            return int(
                mpmath.nint(self.sigma * mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.ldexp(cell, 1 - bits)))
            )


def normal_at_least(thresholds: Floats, randomness: Randomness) -> NDArray[np.bool_]:
    """For each threshold whether a fresh normal number (mean 0, deviation 1) is at least it: a Bernoulli draw
    that no rounding touches.
    """
    words = np.frombuffer(randomness.bytes(8 * len(thresholds)), np.uint64)
    negative = words < np.uint64(1 << 63)
    signs, cells = np.where(negative, -1.0, 1.0), np.where(negative, words, ~words)
    values = upper_quantiles((cells.astype(np.float64) + 0.5) * 2.0**-64)
    with np.errstate(divide="ignore"):
        sure = np.abs(signs * values - thresholds) > SLOPE / cells.astype(np.float64) + FLOAT_ERROR * (
            1 + np.abs(thresholds)
        )
    above: NDArray[np.bool_] = signs * values >= thresholds
    for at in np.flatnonzero(~sure):
        above[at] = _exceeds(
            int(cells[at]), bool(signs[at] > 0), float(thresholds[at]), only(randomness, [at])
        )
    return above


def _exceeds(cell: int, positive: bool, threshold: float, randomness: Randomness) -> bool:
    """Whether ±|N| ≥ threshold, for P(|N| beyond) in the cell: bits are added until the cell lies on one
    side.
    """
    import mpmath

    # the sign decides, but for threshold 0, which both halves meet at probability 0
    if positive == (threshold < 0):
        return positive
    bits = 64
    while True:
        cell, bits = cell << 64 | int.from_bytes(randomness.bytes(8)), bits + 64
        with mpmath.workprec(bits + PRECISION):
            edge = mpmath.ldexp(mpmath.erfc(abs(mpmath.mpf(threshold)) / mpmath.sqrt(2)) / 2, bits)
        if not cell <= edge <= cell + 1:
            return bool((cell + 1 <= edge) == positive)
