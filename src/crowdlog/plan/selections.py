"""How keys are chosen: by a noisy threshold on counts, by weights in noisy rounds, or by an exact number of
people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from crowdlog.plan.bounds import Counts
from crowdlog.privacy.accounting import (
    GaussianStep,
    PromisedStep,
    Step,
    TailStep,
    laplace_steps,
    threshold_steps,
)
from crowdlog.privacy.gaussian import largest_mu, largest_of, shifted
from crowdlog.privacy.guarantee import Guarantee, approximate
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.sampled_counts import MILLION, sampled_delta
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian, in_noise
from crowdlog.privacy.selection.base import Selected, Selection
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.own_size import OwnSizes, Part
from crowdlog.privacy.selection.routed import Routed
from crowdlog.privacy.thresholds import Threshold, laplace_guarantee
from crowdlog.types import Floats, Ints


@dataclass(frozen=True)
class Crossing:
    """`centre`: the number of people at which a key is shown with probability about ½. `sd`: the standard
    deviation of the noise around it.
    """

    centre: float
    sd: float
    gaussian: bool


@dataclass(frozen=True)
class NoisyThreshold:
    """A key is shown when its count plus discrete Laplace noise is above K; fewer than `at_least` are never
    shown.

    `public`: every candidate is public, so that a key of one person alone costs nothing.
    """

    scale: float
    K: int
    d: int
    on: Counts = "impressions"
    at_least: int = 1
    public: bool = False

    @classmethod
    def of(cls, threshold: Threshold) -> NoisyThreshold:
        on: Counts = "users" if threshold.distinct else "impressions"
        return cls(threshold.scale, threshold.K, threshold.d, on, threshold.at_least)

    @property
    def threshold(self) -> Threshold:
        return Threshold(self.scale, self.K, self.d, self.on == "users", self.at_least)

    @property
    def noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.scale)

    def guarantee(self) -> Guarantee:
        return laplace_guarantee(self.d, self.scale) if self.public else self.threshold.guarantee()

    def accounting(self) -> tuple[Step, ...]:
        return laplace_steps(self.d, self.scale) if self.public else threshold_steps(self.threshold)

    def shown(self, count: int) -> float:
        """The chance that a candidate of this count is shown."""
        return self.noise.tail(self.K - count) if count >= self.at_least else 0.0

    @property
    def crossing(self) -> Crossing:
        return Crossing(self.K, self.scale, gaussian=False)


@dataclass(frozen=True)
class WeightedRounds:
    """Adaptive selection as a part of one Gaussian mechanism: noise of this μ, and the weight that must be
    reached. `own`: how long a person's vectors are by her size in the whole release; None: all alike.
    """

    method: AdaptiveGaussian
    mu: float  # of people with the longest vectors
    threshold: float
    tail: float  # of δ, for keys of one person alone
    own: OwnSizes | None = None

    def select(
        self, incidence: Incidence, randomness: Randomness, prior: Floats | None, sizes: Ints | None
    ) -> Selected:
        return self.method.run(incidence, self.mu, self.threshold, randomness, prior, self.own, sizes)

    @property
    def own_keys(self) -> float:
        """At most the chance that a key of one person alone is shown."""
        own = self.own or OwnSizes((self.method.items_per_user,), (1.0,))
        return own.tail((Part(self.mu / own.largest, in_noise(self.threshold, self.mu)),))

    @property
    def crossing(self) -> Crossing:
        return Crossing(self.threshold, 1 / self.mu, gaussian=True)


@dataclass(frozen=True)
class GradedRounds:
    """Adaptive rounds of this μ with a bar for each class of keys.

    `threshold`: the bar of open keys, or where there are none about that of a cell. `tail`: of δ, for open
    keys of one person alone; 0 where there are none. `invented`: rows that noise alone shows, on average, at
    most; 0 where the number of released words decides.
    """

    method: AdaptiveGaussian
    mu: float
    threshold: float
    tail: float
    invented: float

    @property
    def own_keys(self) -> float:
        """At most the chance that an open key of one person alone is shown."""
        if self.tail == 0:
            return 0.0
        return shifted(largest_of(in_noise(self.threshold, self.mu), self.method.items_per_user), self.mu)

    @property
    def crossing(self) -> Crossing:
        return Crossing(self.threshold, 1 / self.mu, gaussian=True)


@dataclass(frozen=True)
class KeySelection:
    """Any of the key selections, with its own ε and δ."""

    method: Selection
    epsilon: float
    delta: float

    def select(
        self, incidence: Incidence, randomness: Randomness, _prior: Floats | None, _sizes: Ints | None
    ) -> Selected:
        return self.method.select(incidence, self.epsilon, self.delta, randomness)

    def guarantee(self) -> Guarantee:
        return approximate(self.epsilon, self.delta)

    def accounting(self) -> tuple[Step, ...]:
        """The noise and the tail of a Gaussian selection, the promise of the others.

        A selection that may take several routes is its promise, whichever it took; one on the long route by
        parameter is Gaussian.
        """
        method = self.method
        if isinstance(method, Routed) and method.route == "long":
            method = method.long
        share = method.noise_share
        if share is None:
            return (PromisedStep(self.epsilon, self.delta),)
        if isinstance(method, AdaptiveGaussian):  # its split of δ is about this ε alone
            found = method.settings(self.epsilon, self.delta)
            return GaussianStep(found.mu), TailStep(found.own_keys)
        return GaussianStep(largest_mu(self.epsilon, share * self.delta)), TailStep((1 - share) * self.delta)

    @property
    def crossing(self) -> Crossing:
        promised = self.method.promise(self.epsilon, self.delta)
        return Crossing(promised.bar, promised.sd, gaussian=True)

    @property
    def where(self) -> str:
        """When the crossing holds, where a look at the log decides: a reader must not take it for certain."""
        return self.method.where if isinstance(self.method, Routed) else ""


@dataclass(frozen=True)
class AtLeast:
    """Exactly those of at least k people (or impressions), by raw numbers: k-anonymity at most, no noise."""

    k: int
    on: Counts

    @property
    def crossing(self) -> Crossing:
        return Crossing(self.k - 0.5, 0.0, gaussian=False)


@dataclass(frozen=True)
class SampledThreshold:
    """Everybody who has a key takes part with probability `millionths` / 1,000,000, for each of her d keys by
    herself; a key is shown when at least K did.

    `by_people`: they have drawn themselves, as the members of a collection do, so that nobody is trusted to
    draw for them. Otherwise it is drawn when the table is decided.
    """

    millionths: int
    K: int
    d: int
    epsilon: float
    by_people: bool = False
    on = "users"

    def guarantee(self) -> Guarantee:
        return approximate(self.epsilon, sampled_delta(self.millionths, self.K, self.d, self.epsilon))

    def accounting(self) -> tuple[Step, ...]:
        own = self.guarantee()
        return (PromisedStep(own.epsilon, own.delta),)

    def shown(self, count: int) -> float:
        """The chance that a key of so many people is shown."""
        from scipy.stats import binom

        return float(binom.sf(self.K - 1, count, self.millionths / MILLION))

    @property
    def crossing(self) -> Crossing:
        p = self.millionths / MILLION
        return Crossing(self.K / p, math.sqrt(self.K * (1 - p)) / p, gaussian=True)


KeySelections = NoisyThreshold | WeightedRounds | GradedRounds | KeySelection | AtLeast | SampledThreshold
FAR = 5  # noise scales beyond the threshold: §8 of Korolova et al. 2009 takes K + 5b copies


def fakes_needed(selection: KeySelections) -> int:
    """How many fake users lift any text over the threshold nearly always; twice as many where they divide a
    weight of 1.
    """
    crossing = selection.crossing
    if isinstance(selection, AtLeast):
        return selection.k
    return math.ceil((2 if crossing.gaussian else 1) * (crossing.centre + FAR * crossing.sd))
