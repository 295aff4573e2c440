"""Our selection: many small Gaussian rounds, each aimed by the noisy sums of the rounds before.

Proof: proofs/selection-adaptive.md.

A user has one unit of L2 length per round. In the first round she spreads it evenly; afterwards she gives
most to the items whose noisy sum says that they may just reach the threshold, little to those far below,
nothing to those safely above. All rounds together cost exactly one Gaussian mechanism of scale σ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu, largest_of, shifted, upper_quantile
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection.base import D0, Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence

# of δ pays for the noise, the rest for keys that one user alone holds; results change by less than 1 % from
# 0.6 to 0.85
NOISE_SHARE = 0.7
ROUNDING_ROOM = 1 + 1e-12  # floats of the schedule are rounded; noise and threshold get this much more
WHOLE = 1 << 16  # shares of rounds are whole numbers of 1/WHOLE: noisy sums stay exact
# Tuned on synthetic logs other than the reported ones (docs/benchmarks-keys.md); any value is equally
# private.
REACH, SPREAD = 1.9, 0.7


@dataclass(frozen=True)
class AdaptiveGaussian:
    """`rounds` shares of the privacy: the first `first_share`, the others growing by the factor `growth`."""

    noise_share: ClassVar[float] = NOISE_SHARE

    items_per_user: int = D0
    rounds: int = 24
    first_share: float = 0.1
    growth: float = 1.0

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        check_epsilon_delta(epsilon, delta)
        mu, tail = self.split(epsilon, delta)
        parameters = {"items_per_user": self.items_per_user, "rounds": self.rounds}
        return SelectionPromise(
            approximate(epsilon, delta), self.threshold(mu, tail, epsilon), 1 / mu, parameters
        )

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        check_epsilon_delta(epsilon, delta)
        mu, tail = self.split(epsilon, delta)
        return self.run(incidence, mu, self.threshold(mu, tail, epsilon), randomness)

    def split(self, epsilon: float, delta: float) -> tuple[float, float]:
        """(μ of all rounds together, part of δ left for keys that one user alone holds)."""
        return largest_mu(epsilon, NOISE_SHARE * delta), (1 - NOISE_SHARE) * delta

    def threshold(self, mu: float, tail: float, epsilon: float) -> float:
        """Where keys that one user alone holds cost at most `tail` of the δ of a promise with this ε; μ is
        that of this selection.

        What counts is how often pure noise in their place, in the log without her, reaches the threshold. It
        may e^−ε · tail times, because then the promise for the noise covers the rest; or as often as a
        Gaussian mechanism of this μ can at most turn into `tail`.
        """
        from crowdlog.privacy.selection.kernels import UNIT

        by_noise = (
            max(tail * math.exp(-epsilon), largest_of(upper_quantile(tail) + mu * ROUNDING_ROOM, 1))
            / ROUNDING_ROOM
        )
        # half a unit is for rounded noise
        return (0.5 / UNIT + upper_quantile(by_noise, self.items_per_user) / mu) * ROUNDING_ROOM

    def own_keys(self, mu: float, threshold: float) -> float:
        """At most the probability that a key which one user alone holds is shown: for composition at any ε.

        Rounded up.
        """
        from crowdlog.privacy.selection.kernels import UNIT

        return shifted(largest_of((threshold - 0.5 / UNIT) * mu / ROUNDING_ROOM, self.items_per_user), mu)

    def shares(self) -> list[int]:
        """The rounds' shares of μ², in 1/WHOLE; they add up to WHOLE."""
        later = [self.growth**k for k in range(self.rounds - 1)]
        shares = [int(WHOLE * (1 - self.first_share) * share / sum(later)) for share in later]
        return [WHOLE - sum(shares), *shares]

    def run(
        self,
        incidence: Incidence,
        mu: float,
        threshold: float,
        randomness: Randomness,
        prior: NDArray[np.float64] | None = None,
    ) -> Selected:
        """Select with noise of this μ and this threshold.

        `prior`: public numbers from 0 to 1 that an item's worth is multiplied by (default: 1).
        """
        from crowdlog.privacy.selection import kernels

        unit = WHOLE * kernels.UNIT  # weights are summed in whole numbers of 1/unit
        bar, sigma = math.ceil(threshold * unit), unit / mu
        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        weights = np.zeros(len(ids), np.int64)
        known = ((np.ones(len(ids)) if prior is None else prior[ids]) * kernels.FULL).astype(np.int16)
        worth, done = known.copy(), 0
        for share in self.shares():
            noise = RoundedGaussian(round_noise(mu, share))
            weights += share * (
                kernels.weigh(held.offsets, held.items, worth) + noise.draw(held.size, randomness)
            )
            done += share
            if done < WHOLE:
                part = done / WHOLE
                reach = 1 + REACH * (1 - part) / part
                spread = SPREAD * sigma * math.sqrt(part * reach**2 + 1 - part)
                kernels.steer(weights, bar, reach, spread, math.sqrt(1 - part) * sigma, known, worth)
                # Hopeless items stop here: they get no more weight and no more noise and are never released.
                alive = np.flatnonzero(worth >= 0)
                held, ids, weights, worth, known = (
                    held.only(alive),
                    ids[alive],
                    weights[alive],
                    worth[alive],
                    known[alive],
                )
        kept = weights >= bar
        return Selected(ids[kept], weights[kept] / unit)


def round_noise(mu: float, share: int) -> float:
    """The scale, in weight units, of a round that costs this share of μ²."""
    from crowdlog.privacy.selection.kernels import UNIT

    return UNIT / mu / math.sqrt(share / WHOLE) * ROUNDING_ROOM
