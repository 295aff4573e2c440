"""Our selection: many small Gaussian rounds, each aimed by the noisy sums of the rounds before.

Proof: proofs/selection-adaptive.md.

A user has one L2 length for all rounds, by her own number of items. In the first round she spreads it evenly;
afterwards she gives most to the items whose noisy sum says that they may just reach the threshold, little to
those far below, nothing to those safely above. All rounds together cost exactly one Gaussian mechanism of
scale σ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu, largest_of, upper_quantile
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.keyed import for_keys
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.privacy.selection.base import Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.own_size import OwnSizes, Part, own_sizes
from crowdlog.types import Ints

# of δ pays for the noise, the rest for keys that one user alone holds; results change by less than 1 % from
# 0.6 to 0.85
NOISE_SHARE = 0.7
WHOLE = 1 << 16  # shares of rounds are whole numbers of 1/WHOLE: noisy sums stay exact
# Tuned on synthetic logs other than the reported ones (docs/benchmarks-keys.md); any value is equally
# private.
REACH, SPREAD = 1.9, 0.7
# Users with many items pay for them with shorter vectors, so that more may count than where all pay alike.
OWN_D0 = 300
# Of δ, for the own keys of users with two thirds of the most items. 0.3 kept 1.3 % fewer keys than 0.5 and
# composes better: ten releases cost ε = 3.3 instead of 3.6.
OWN_SHARE = 0.4


@dataclass(frozen=True)
class AdaptiveSettings:
    """What (ε, δ) allow one selection: the noise of users with the fewest items, the threshold in weight, the
    lengths of others, and what tight composition needs.
    """

    mu: float
    threshold: float
    sizes: OwnSizes
    own_keys: float  # at most the chance that a key of one user alone is shown, whatever ε


@dataclass(frozen=True)
class AdaptiveGaussian:
    """`rounds` shares of the privacy: the first `first_share`, the others growing by the factor `growth`."""

    noise_share: ClassVar[float] = NOISE_SHARE

    items_per_user: int = OWN_D0
    rounds: int = 40
    first_share: float = 0.1
    growth: float = 1.0

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        found = self.settings(epsilon, delta)
        parameters = {"items_per_user": self.items_per_user, "rounds": self.rounds}
        return SelectionPromise(approximate(epsilon, delta), found.threshold, 1 / found.mu, parameters)

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        found = self.settings(epsilon, delta)
        return self.run(incidence, found.mu, found.threshold, randomness, own=found.sizes)

    def settings(self, epsilon: float, delta: float) -> AdaptiveSettings:
        """All of (ε, δ) for this selection. The threshold is that of users with two thirds of the most items:
        those with more have shorter vectors, those with fewer longer ones.
        """
        check_epsilon_delta(epsilon, delta)
        mu, _tail = self.split(epsilon, delta)
        typical = AdaptiveGaussian(-(-2 * self.items_per_user // 3))
        part = Part(mu, typical.bar(mu, OWN_SHARE * delta, epsilon))
        sizes = own_sizes(epsilon, delta, (part,), 0.0, self.items_per_user)
        longest = mu * sizes.largest
        return AdaptiveSettings(longest, in_weight(part.bar, longest), sizes, sizes.tail((part,)))

    def split(self, epsilon: float, delta: float) -> tuple[float, float]:
        """(μ of all rounds together, part of δ left for keys that one user alone holds) before own sizes."""
        return largest_mu(epsilon, NOISE_SHARE * delta), (1 - NOISE_SHARE) * delta

    def check_noise(self, mu: float) -> None:
        """InputError where a round's noise would be larger than can be drawn: before anything is charged."""
        RoundedGaussian(round_noise(mu, min(self.shares())))

    def threshold(self, mu: float, tail: float, epsilon: float) -> float:
        """Where keys that one user alone holds cost at most `tail` of the δ of a promise with this ε; μ is
        that of this selection.
        """
        return in_weight(self.bar(mu, tail, epsilon), mu)

    def bar(self, mu: float, tail: float, epsilon: float) -> float:
        """The same in standard deviations of the noise.

        What counts is how often pure noise in their place, in the log without her, reaches the threshold. It
        may e^−ε · tail times, because then the promise for the noise covers the rest; or as often as a
        Gaussian mechanism of this μ can at most turn into `tail`.
        """
        by_noise = (
            max(tail * math.exp(-epsilon), largest_of(upper_quantile(tail) + mu * ROOM_ABOVE, 1)) / ROOM_ABOVE
        )
        self.check_noise(mu)
        return upper_quantile(by_noise, self.items_per_user)

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
        own: OwnSizes | None = None,
        sizes: Ints | None = None,
    ) -> Selected:
        """Select with noise of this μ and this threshold.

        `prior`: public numbers from 0 to 1 that an item's worth is multiplied by (default: 1). `own`: how
        long vectors are by the user's size (default: all alike), `sizes`: each user's size in the whole
        release (default: her items here).
        """
        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        lengths = lengths_of(held, own, sizes)
        rounds = self.rounds_of(mu, threshold)
        state = rounds.begin(ids, prior)
        for number in range(len(rounds.shares)):
            sums = rounds.weigh(held, state.worth, lengths)
            state, alive = rounds.after(number, state, sums, randomness)
            held = held.only(alive)
        return rounds.end(state)

    def rounds_of(self, mu: float, threshold: float) -> Rounds:
        """What happens between reading people's items and the end, for engines that read them elsewhere."""
        return Rounds(tuple(self.shares()), mu, threshold)


@dataclass(frozen=True)
class ItemState:
    """What is known of the items that are still in the race; `known`: their prior, `worth`: of a unit now."""

    ids: Ints
    weights: Ints
    known: NDArray[np.int16]
    worth: NDArray[np.int16]

    def only(self, index: Ints) -> ItemState:
        return ItemState(self.ids[index], self.weights[index], self.known[index], self.worth[index])


@dataclass(frozen=True)
class Rounds:
    """The rounds as steps that each look at some users, or at some items: on one machine or on many."""

    shares: tuple[int, ...]
    mu: float
    threshold: float

    @property
    def unit(self) -> int:
        """Weights are summed in whole numbers of 1/unit."""
        from crowdlog.privacy.selection import kernels

        return WHOLE * kernels.UNIT

    @property
    def bar(self) -> int:
        return math.ceil(self.threshold * self.unit)

    def begin(self, ids: Ints, prior: NDArray[np.float64] | None) -> ItemState:
        from crowdlog.privacy.selection import kernels

        known = ((np.ones(len(ids)) if prior is None else prior[ids]) * kernels.FULL).astype(np.int16)
        return ItemState(ids, np.zeros(len(ids), np.int64), known, known.copy())

    @staticmethod
    def weigh(held: Incidence, worth: NDArray[np.int16], lengths: Ints) -> Ints:
        """What these users give to each item: sums of whole numbers, so that several parts of the users add
        up to the same in any order.
        """
        from crowdlog.privacy.selection import kernels

        sums: Ints = kernels.weigh(held.offsets, held.items, worth, lengths)
        return sums

    def after(
        self, number: int, state: ItemState, sums: Ints, randomness: Randomness
    ) -> tuple[ItemState, Ints]:
        """The items that go on after round `number`, and their places among those before. Looks at each item
        by itself.
        """
        from crowdlog.privacy.selection import kernels

        share, done = self.shares[number], sum(self.shares[: number + 1])
        noise = RoundedGaussian(round_noise(self.mu, share))
        drawn = noise.draw(len(sums), for_keys(randomness, f"round {number}", state.ids))
        state = replace(state, weights=state.weights + share * (sums + drawn), worth=state.worth.copy())
        if done == WHOLE:
            return state, np.arange(len(sums))
        sigma, part = self.unit / self.mu, done / WHOLE
        reach = 1 + REACH * (1 - part) / part
        spread = SPREAD * sigma * math.sqrt(part * reach**2 + 1 - part)
        left = math.sqrt(1 - part) * sigma
        kernels.steer(state.weights, self.bar, reach, spread, left, state.known, state.worth)
        # Hopeless items stop here: they get no more weight and no more noise and are never released.
        alive = np.flatnonzero(state.worth >= 0)
        return state.only(alive), alive

    def end(self, state: ItemState) -> Selected:
        kept = state.weights >= self.bar
        return Selected(state.ids[kept], state.weights[kept] / self.unit)


def round_noise(mu: float, share: int) -> float:
    """The scale, in weight units, of a round that costs this share of μ²."""
    from crowdlog.privacy.selection.kernels import UNIT

    return UNIT / mu / math.sqrt(share / WHOLE) * ROOM_ABOVE


def in_weight(bar: float, mu: float) -> float:
    """A threshold in standard deviations as one in weight; half a unit is for rounded noise."""
    from crowdlog.privacy.selection.kernels import UNIT

    return (0.5 / UNIT + bar / mu) * ROOM_ABOVE


def in_noise(threshold: float, mu: float) -> float:
    """A threshold in weight as the normal number that pure noise must reach, rounded down."""
    from crowdlog.privacy.selection.kernels import UNIT

    return (threshold - 0.5 / UNIT) * mu / ROOM_ABOVE


def lengths_of(held: Incidence, own: OwnSizes | None, sizes: Ints | None) -> Ints:
    """The length of each user's vectors in weight units: a function of her own size alone."""
    from crowdlog.privacy.selection.kernels import UNIT

    if own is None:
        return np.full(held.users, UNIT, np.int64)
    here = np.diff(held.offsets)
    if sizes is None:
        return own.lengths(here, UNIT)
    # Sizes are counted over all users of the log, of whom the last ones may have nothing here, or nothing
    # there.
    whole = np.zeros(held.users, np.int64)
    known = sizes[: held.users]
    whole[: len(known)] = np.minimum(known, own.sizes[-1])
    if np.any(whole < here):
        raise ValueError("a user holds more items than her size in the whole release")
    return own.lengths(whole, UNIT)
