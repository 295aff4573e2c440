"""Laplace threshold (Korolova et al. 2009; DP_u of Feild 2013): count people, add noise, keep what exceeds K.

Proof: proofs/threshold.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crowdlog.privacy.gaussian import check_epsilon_delta
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.base import KeepsD, Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.thresholds import Threshold, smallest_threshold


@dataclass(frozen=True)
class LaplaceThreshold(KeepsD):
    """Each user keeps d random items; an item is kept when its holders plus discrete Laplace noise of scale
    d/ε exceed K.
    """

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        found = self._threshold(epsilon, delta)
        return SelectionPromise(
            found.guarantee(), found.K + 1, found.noise.sd, {"d": self.d, "scale": found.scale, "K": found.K}
        )

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        found = self._threshold(epsilon, delta)
        holders = incidence.bounded(self.d, randomness).holders()
        ids = np.flatnonzero(holders)
        noisy = holders[ids] + found.noise.draw(len(ids), randomness)
        kept = noisy > found.K
        return Selected(ids[kept], noisy[kept].astype(np.float64))

    def _threshold(self, epsilon: float, delta: float) -> Threshold:
        check_epsilon_delta(epsilon, delta)
        return smallest_threshold(epsilon, delta, self.d, distinct=True)
