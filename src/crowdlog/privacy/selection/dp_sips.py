"""DP-SIPS (Swanberg, Desfontaines, Haney 2023): weighted Gaussian in rounds; what one released takes no
weight in the next.

Proof: proofs/selection-gaussian.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.base import D0, Selected, SelectionPromise, unweighted
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.weighted_gaussian import even_threshold, noisy_weights, weight_noise


@dataclass(frozen=True)
class DPSIPS:
    """Each round has `ratio` times the budget of the one before.

    `tight`: the rounds are composed as one Gaussian mechanism, which gives them more than the paper does;
    else ε and δ are divided among them, as published.
    """

    items_per_user: int = D0
    noise_share: ClassVar[float] = 0.5  # of δ, as published
    rounds: int = 3
    ratio: float = 10.0  # the best of 1, 2, 3, 4 and 10 on the logs used for tuning
    tight: bool = True

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        check_epsilon_delta(epsilon, delta)
        parameters: dict[str, float] = {"rounds": self.rounds, "items_per_user": self.items_per_user}
        bars = [
            (even_threshold(mu, tail, self.items_per_user), 1 / mu)
            for mu, tail in self._rounds(epsilon, delta)
        ]
        for mu, _tail in self._rounds(epsilon, delta):
            weight_noise(mu)
        for number, (threshold, sd) in enumerate(bars, 1):
            parameters |= {f"sigma_{number}": sd, f"threshold_{number}": threshold}
        return SelectionPromise(approximate(epsilon, delta), *bars[-1], parameters)

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        check_epsilon_delta(epsilon, delta)
        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        kept = np.zeros(held.size, bool)
        for mu, tail in self._rounds(epsilon, delta):
            waiting = (~kept).astype(np.int16)
            kept |= ~kept & (
                noisy_weights(held, waiting, mu, randomness) >= even_threshold(mu, tail, self.items_per_user)
            )
        return unweighted(ids[kept])

    def _rounds(self, epsilon: float, delta: float) -> list[tuple[float, float]]:
        return round_budgets(epsilon, delta, [self.ratio**k for k in range(self.rounds)], self.tight)


def round_budgets(
    epsilon: float, delta: float, shares: Sequence[float], tight: bool
) -> list[tuple[float, float]]:
    """(μ, tail) of each round; half of δ is for the tails. A share of the budget is the same share of μ² and
    of the tail. 1e-12 is left for rounding of the shares.
    """
    parts = [share / sum(shares) * (1 - 1e-12) for share in shares]
    if not tight:
        return [(largest_mu(epsilon * part, delta / 2 * part), delta / 2 * part) for part in parts]
    mu = largest_mu(epsilon, delta / 2)
    return [(mu * math.sqrt(part), delta / 2 * part) for part in parts]
