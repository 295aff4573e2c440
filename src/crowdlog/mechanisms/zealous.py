"""ZEALOUS (Götz et al.

2011; Feild 2013, appendix B): numbers of users, published with the noise that selected them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, PEOPLE, parameter
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION
from crowdlog.plan.bounds import Counts, FirstKeys, RandomKeys
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.published import zealous_indistinguishable, zealous_probabilistic
from crowdlog.privacy.thresholds import Threshold, smallest_threshold
from crowdlog.release.promise import Promise, promise_of

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

_PROBABILISTIC = (
    "The log has at most as many users as the parameter 'users' says.",
    "The δ of the probabilistic setting is that of ideal noise: the sampler's distance from it, below 1e-30 "
    "per draw, is not charged.",
)


@dataclass(frozen=True, repr=False)
class Zealous(Mechanism):
    """Drop artifacts of at most k' users, then publish users + noise where that is above k."""

    title: ClassVar[str] = "Artifacts of many users, with a noisy number of users"
    example: ClassVar[str] = "Zealous(epsilon=2.3, delta=1e-6, d=5)"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("users",)
    source: ClassVar[str] = "Götz, Machanavajjhala, Wang, Xiao, Gehrke 2011; Feild 2013, appendix B"
    formula: ClassVar[str] = (
        "publish users(a) + DL(d/ε) where users(a) > k′ and users(a) + DL(d/ε) > K: one draw for both"
    )

    epsilon: float = shared.epsilon()
    delta: float = shared.delta()
    d: int = parameter("how many different artifacts are kept of each user", least=1, role=BOUND)
    setting: str = parameter(
        "the kind of promise: indistinguishability is (ε, δ)-DP, probabilistic is (ε, δ)-probabilistic DP",
        default="indistinguishability",
        choices=("indistinguishability", "probabilistic"),
    )
    users: int | None = parameter(
        "for the probabilistic setting: an upper bound, public, on the number of users",
        default=None,
        least=1,
        role=PEOPLE,
    )
    keep: str = shared.keep()
    artifact: str = shared.artifact()
    representation: str = shared.representation()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.setting == "probabilistic" and self.users is None:
            raise InputError(
                "Zealous in the probabilistic setting needs the parameter 'users': a public upper bound on "
                "the number of users."
            )

    def check_log(self, log: LogStore) -> None:
        """The δ of the probabilistic setting is that of a log of so many users at most."""
        if self.setting == "probabilistic" and log.info.users > (self.users or 0):
            raise InputError(
                "The log has more users than the 'users' parameter of Zealous says, and its promise holds "
                "for at most that many. Give an upper bound that is known without this log."
            )

    def _threshold(self, at_least: int) -> tuple[Threshold, Guarantee]:
        """The smallest valid threshold and what it promises, where artifacts of fewer people are dropped."""
        if self.setting == "indistinguishability":
            found = smallest_threshold(self.epsilon, self.delta, self.d, distinct=True, at_least=at_least)
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
        return self._promise(*self._threshold(at_least=2))  # k' = 1: artifacts of one user are dropped

    def opened(self, k: int) -> Promise:
        threshold, guarantee = self._threshold(at_least=k)
        if threshold.at_least < k:
            raise InputError(
                f"Zealous in the probabilistic setting keeps what {threshold.at_least} people share here, "
                f"but the collection opens what {k} do: "
                "its proof has no room for that. Choose a smaller ε, a larger limit, a k of at most "
                f"{threshold.at_least}, or the other setting."
            )
        return self._promise(threshold, guarantee)

    def _promise(self, threshold: Threshold, guarantee: Guarantee) -> Promise:
        table = TablePlan(
            Artifact(self.artifact, self.representation),
            "users",
            FirstKeys(self.d) if self.keep == "first" else RandomKeys(self.d),
            NoisyThreshold.of(threshold),
            threshold.noise,
            reuses_noise=True,
        )
        probabilistic = self.setting == "probabilistic"
        published = (
            zealous_probabilistic(self.epsilon, self.delta, self.d, self.users or 1)
            if probabilistic
            else zealous_indistinguishable(self.epsilon, self.delta, self.d)
        )
        promise = promise_of(
            [table],
            covered=guarantee,
            assumptions=(HONEST_USERS, *(_PROBABILISTIC if probabilistic else ())),
            unprotected=(INJECTION,),
            errata=(
                "Noise of scale d/ε is enough when one user is added or removed; "
                "the paper's 2d/ε is for a user who is replaced.",
                "The raw filter k' looks at the data without noise. "
                "Its effect is charged to δ here: the threshold is higher by k'.",
            ),
            proof="proofs/zealous.md",
            as_published={"b": published.b, "k": published.k, "k'": published.k_raw},
        )
        *before, last = promise.steps
        return replace(
            promise, steps=(*before, replace(last, epsilon=guarantee.epsilon, delta=guarantee.delta))
        )
