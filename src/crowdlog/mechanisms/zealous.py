"""ZEALOUS (Götz et al. 2011; Feild 2013, appendix B): numbers of users, published with the noise that selected them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine import bound
from crowdlog.engine.count import histogram
from crowdlog.errors import InputError
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION, laplace_sd
from crowdlog.mechanisms.feild import KEEP_HELP
from crowdlog.mechanisms.frequency import ARTIFACT_HELP, REPRESENTATION_HELP
from crowdlog.mechanisms.mining import open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.accounting import for_ledger, threshold_steps
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.published import zealous_indistinguishable, zealous_probabilistic
from crowdlog.privacy.thresholds import Threshold, smallest_threshold
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True, repr=False)
class Zealous(Mechanism):
    """Drop artifacts of at most k' users, then publish users + noise where that is above k."""

    title: ClassVar[str] = "Artifacts of many users, with a noisy number of users"
    source: ClassVar[str] = "Götz, Machanavajjhala, Wang, Xiao, Gehrke 2011; Feild 2013, appendix B"

    epsilon: float = parameter("privacy loss of one user", above=0)
    delta: float = parameter("probability that the promise may fail", above=0, below=1)
    d: int = parameter("how many different artifacts are kept of each user", least=1)
    setting: str = parameter(
        "the kind of promise: indistinguishability is (ε, δ)-DP, probabilistic is (ε, δ)-probabilistic DP",
        default="indistinguishability",
        choices=("indistinguishability", "probabilistic"),
    )
    users: int | None = parameter("for the probabilistic setting: an upper bound, public, on the number of users", default=None, least=1)
    keep: str = parameter(KEEP_HELP, default="first", choices=("first", "random"))
    artifact: str = parameter(ARTIFACT_HELP, default="query", choices=tuple(ARTIFACTS))
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.setting == "probabilistic" and self.users is None:
            raise InputError("Zealous in the probabilistic setting needs the parameter 'users': a public upper bound on the number of users.")

    def threshold(self) -> tuple[Threshold, Guarantee]:
        """The smallest valid threshold and what it promises."""
        if self.setting == "indistinguishability":
            found = smallest_threshold(self.epsilon, self.delta, self.d, distinct=True, at_least=2)  # k' = 1: artifacts of one user are dropped
            return found, found.guarantee()
        return self._probabilistic()

    def _probabilistic(self) -> tuple[Threshold, Guarantee]:
        dropped = math.ceil(2 * self.d / self.epsilon)  # k' of the paper
        users = self.users or 1
        start = smallest_threshold(self.epsilon, 0.5, self.d, distinct=True, at_least=dropped + 1)

        def promise(K: int) -> Guarantee:
            return replace(start, K=K).probabilistic(users)

        step = 1
        while promise(start.K + step).delta > self.delta:
            step *= 2
        low, high = start.K, start.K + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if promise(middle).delta <= self.delta else (middle, high)
        return replace(start, K=high), promise(high)

    def promise(self) -> Promise:
        threshold, guarantee = self.threshold()
        return Promise(
            guarantee,
            (
                Step("Bound", f"Keep {self.d} different artifacts of each user ({self.keep})."),
                Step(
                    "Drop",
                    f"Drop artifacts of fewer than {threshold.at_least} users, before any noise; the cost of this look at the data is part of δ.",
                ),
                Step(
                    "Select and count", f"Publish the number of users plus noise where it is above {threshold.K}.", guarantee.epsilon, guarantee.delta
                ),
            ),
            {"K": threshold.K, "b": threshold.scale, "k'": threshold.at_least - 1, "d": self.d},
            counts="users",
            assumptions=(HONEST_USERS, *self._probabilistic_assumptions()),
            unprotected=(INJECTION,),
            errata=(
                "Noise of scale d/ε is enough when one user is added or removed; the paper's 2d/ε is for a user who is replaced.",
                "The raw filter k' looks at the data without noise. Its effect is charged to δ here: the threshold is higher by k'.",
            ),
            accounting=for_ledger(threshold_steps(threshold)),
            proof="proofs/zealous.md",
            as_published=self._as_published(),
        )

    def _probabilistic_assumptions(self) -> tuple[str, ...]:
        if self.setting != "probabilistic":
            return ()
        return (
            "The log has at most as many users as the parameter 'users' says.",
            "The δ of the probabilistic setting is that of ideal noise: the sampler's distance from it, below 1e-30 per draw, is not charged.",
        )

    def _as_published(self) -> dict[str, Setting]:
        if self.setting == "indistinguishability":
            published = zealous_indistinguishable(self.epsilon, self.delta, self.d)
        else:
            published = zealous_probabilistic(self.epsilon, self.delta, self.d, self.users or 1)
        return {"b": published.b, "k": published.k, "k'": published.k_raw}

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        kind, (threshold, _guarantee) = Artifact(self.artifact, self.representation), self.threshold()
        with open_mine(log, self.representation) as mine:
            artifacts = mine.artifacts(kind)
            bounded = (
                bound.first_distinct(artifacts, self.d)
                if self.keep == "first"
                else bound.random_distinct(artifacts, self.d, randomness.bytes(16).hex())
            )
            counts = histogram(bounded, users=False)  # each user has each artifact once: impressions are users
            candidates = counts.impressions >= threshold.at_least
            keys, users = counts.key[candidates], counts.impressions[candidates]
            noisy = users + threshold.noise.draw(len(users), randomness)
            kept = np.flatnonzero(noisy > threshold.K)
            return Protected({kind.table: mine.table(kind, keys[kept], noisy[kept])}, {"count noise sd": laplace_sd(threshold.scale)})
