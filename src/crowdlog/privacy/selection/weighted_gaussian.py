"""Weighted Gaussian (Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin 2020): each user spreads one unit of
L2 length evenly.

Proof: proofs/selection-gaussian.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu, upper_quantile
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.privacy.selection.base import D0, Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence


@dataclass(frozen=True)
class WeightedGaussian:
    """Half of δ pays for the noise, half for keys that one user alone holds, as published."""

    items_per_user: int = D0
    noise_share: ClassVar[float] = 0.5  # of δ, as published

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        check_epsilon_delta(epsilon, delta)
        mu = largest_mu(epsilon, delta / 2)
        threshold = even_threshold(mu, delta / 2, self.items_per_user)
        weight_noise(mu)
        return SelectionPromise(
            approximate(epsilon, delta), threshold, 1 / mu, {"items_per_user": self.items_per_user}
        )

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        check_epsilon_delta(epsilon, delta)
        from crowdlog.privacy.selection.kernels import FULL

        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        mu = largest_mu(epsilon, delta / 2)
        weights = noisy_weights(held, np.full(held.size, FULL, np.int16), mu, randomness)
        kept = weights >= even_threshold(mu, delta / 2, self.items_per_user)
        return Selected(ids[kept], weights[kept])


def even_threshold(mu: float, tail: float, most: int) -> float:
    """The largest of 1/√t + what t noises exceed with probability `tail`, over all numbers t of keys that one
    user alone may hold.
    """
    from crowdlog.privacy.selection.kernels import UNIT

    return (
        max(1 / math.sqrt(t) + 0.5 / UNIT + upper_quantile(tail, t) / mu for t in range(1, most + 1))
        * ROOM_ABOVE
    )


def weight_noise(mu: float) -> RoundedGaussian:
    """Noise of scale 1/μ, in weight units. InputError where that is more than can be drawn: promises ask for
    it, because selections are charged before they draw.
    """
    from crowdlog.privacy.selection.kernels import UNIT

    return RoundedGaussian(UNIT / mu * ROOM_ABOVE)


def noisy_weights(
    held: Incidence, worth: NDArray[np.int16], mu: float, randomness: Randomness
) -> NDArray[np.float64]:
    """The users' weights plus noise of scale 1/μ."""
    from crowdlog.privacy.selection import kernels

    noise = weight_noise(mu).draw(held.size, randomness)
    lengths = np.full(held.users, kernels.UNIT, np.int64)
    weights = kernels.weigh(held.offsets, held.items, worth, lengths)
    return np.asarray((weights + noise) / kernels.UNIT, np.float64)
