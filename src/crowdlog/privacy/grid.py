"""Cells of a public grid that nobody holds: which of them pass by noise alone, with the law they would have
if noise were drawn for each. Proof: proofs/ladder.md, Lemma 4.

A cell can only pass if the sum of its noise is above a point that chance alone reaches with a small
probability p. So each cell is above with probability p on its own (the gaps between such cells are drawn,
which are geometric), and only for those above the noise of every round is drawn, given its sum. All numbers
have 256 bits: the law differs from the exact one by less than 2⁻²⁰⁰ for each cell above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.adaptive_gaussian import WHOLE
from crowdlog.privacy.selection.base import Selected
from crowdlog.privacy.selection.graded import WEIGHT, Graded, Grades
from crowdlog.privacy.selection.incidence import Incidence

BITS = 256


@dataclass(frozen=True)
class EmptyCells:
    """`cells` cells with one bar (in weight) in this selection."""

    graded: Graded
    cells: int
    bar: float

    def passing(self, randomness: Randomness) -> Selected:
        """The numbers of the cells that end at or above the bar without having been given up, and their noisy
        weights.
        """
        import mpmath

        with mpmath.workprec(BITS):
            chance = self._chance()
            places = _heads(self.cells, chance, randomness)
            paths = np.array([self._path(chance, randomness) for _ in places], np.int64)
        if not len(places):
            return Selected(np.zeros(0, np.int64), np.zeros(0))
        nobody = Incidence(np.zeros(1, np.int64), np.zeros(0, np.int32), len(places))
        alike = Grades.alike(len(places), self.bar)
        found = self.graded.rounds(nobody, alike, lambda place, alive: paths[alive, place])
        return Selected(np.array(places, np.int64)[found.items], found.weights)

    def _scales(self) -> list[Any]:
        import mpmath

        return [mpmath.mpf(scale) for scale in self.graded.scales]

    def _parts(self) -> list[Any]:
        import mpmath

        return [mpmath.mpf(share) / WHOLE for share in self.graded.method.shares()]

    def _spread(self) -> Any:
        """The standard deviation of the whole noise, Σ share · N, in weight units."""
        import mpmath

        return mpmath.sqrt(
            sum((part * scale) ** 2 for part, scale in zip(self._parts(), self._scales(), strict=True))
        )

    def _chance(self) -> Any:
        """At least the probability that a cell passes: rounding adds half a unit to its noise at most.

        A whole number of 2⁻ᵏ, rounded up.
        """
        import mpmath

        least = mpmath.ceil(self.bar * WEIGHT) / WHOLE - mpmath.mpf("0.5")
        chance = mpmath.erfc(least / self._spread() / mpmath.sqrt(2)) / 2
        digits = 24 - int(mpmath.floor(mpmath.log(chance, 2)))
        return min(mpmath.mpf(1), mpmath.ldexp(mpmath.ceil(mpmath.ldexp(chance, digits)), -digits))

    def _path(self, chance: Any, randomness: Randomness) -> list[int]:
        """The rounded noise of each round, given that the sum lies in the upper `chance` of its law.

        Free noise N' with the sum G' is shifted to the sum G: given G, N is N' + c·(G − G') with c = Cov(N,
        Σ) / Var(Σ).
        """
        import mpmath

        spread, parts, scales = self._spread(), self._parts(), self._scales()
        end = spread * mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * chance * _uniform(randomness))
        free = [scale * _normal(randomness) for scale in scales]
        missing = end - sum(part * noise for part, noise in zip(parts, free, strict=True))
        return [
            int(mpmath.nint(noise + part * scale**2 / spread**2 * missing))
            for part, scale, noise in zip(parts, scales, free, strict=True)
        ]


def _uniform(randomness: Randomness) -> Any:
    """A number strictly between 0 and 1."""
    import mpmath

    return mpmath.ldexp(2 * int.from_bytes(randomness.bytes(BITS // 8)) + 1, -BITS - 1)


def _normal(randomness: Randomness) -> Any:
    """Box and Muller 1958, one of the two."""
    import mpmath

    radius = mpmath.sqrt(-2 * mpmath.log(_uniform(randomness)))
    return radius * mpmath.cospi(2 * _uniform(randomness))


def _heads(cells: int, chance: Any, randomness: Randomness) -> list[int]:
    """The numbers of the cells whose coin shows heads: gaps between them are geometric."""
    import mpmath

    found: list[int] = []
    if chance >= 1:
        return list(range(cells))
    tails, place = mpmath.log1p(-chance), -1
    while True:
        place += 1 + int(mpmath.floor(mpmath.log(_uniform(randomness)) / tails))
        if place >= cells:
            return found
        found.append(place)
