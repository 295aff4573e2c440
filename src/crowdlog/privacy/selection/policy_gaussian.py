"""Policy Gaussian (Gopi et al. 2020): users in turn fill up only what is still below the target.

Proof: proofs/selection-gaussian.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import normal_at_least
from crowdlog.privacy.selection.base import D0, Selected, SelectionPromise, unweighted
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.weighted_gaussian import even_threshold

SENSITIVITY = 1.0001  # 1, and what double rounding may add over 10^8 users (proofs/selection-gaussian.md)


@dataclass(frozen=True)
class PolicyGaussian:
    """The target lies `margin` standard deviations above the threshold (5 in the paper)."""

    items_per_user: int = D0
    noise_share: ClassVar[float] = 0.5  # of δ, as published
    margin: float = 5.0

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        check_epsilon_delta(epsilon, delta)
        sigma, threshold = self._noise(epsilon, delta)
        return SelectionPromise(
            approximate(epsilon, delta), threshold, sigma, {"items_per_user": self.items_per_user}
        )

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        from crowdlog.privacy.selection import kernels

        check_epsilon_delta(epsilon, delta)
        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        sigma, threshold = self._noise(epsilon, delta)
        weights = kernels.fill_up(held.offsets, held.items, held.size, threshold + self.margin * sigma)
        return unweighted(ids[normal_at_least((threshold - weights) / sigma, randomness)])

    def _noise(self, epsilon: float, delta: float) -> tuple[float, float]:
        mu = largest_mu(epsilon, delta / 2) / SENSITIVITY
        return 1 / mu, even_threshold(mu, delta / 2, self.items_per_user)
