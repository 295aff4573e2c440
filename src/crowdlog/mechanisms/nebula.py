"""Nebula: people who each took part by a draw of their own, shown where enough did (proofs/nebula.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, THRESHOLD, parameter
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION
from crowdlog.plan.bounds import Counts, FirstKeys, RandomKeys
from crowdlog.plan.selections import SampledThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.sampled_counts import (
    MILLION,
    published_delta,
    sampled_delta,
    smallest_sampled_threshold,
)
from crowdlog.release.promise import Promise, promise_of

_UNTOLD = (
    "Who takes part stays secret. Of k people behind an artifact, those whose draws are known do not count: "
    "the threshold is lower by their number."
)
MOST_KEYS = 1000  # of one user: the cost of each is composed with that of the others, one by one
_CLOSED = 2  # people from whom on the size of a closed group says something


@dataclass(frozen=True, repr=False)
class Nebula(Mechanism):
    """Everybody takes part with probability p, for each of her d artifacts; publish what enough did."""

    title: ClassVar[str] = "Artifacts of many users, by users who take part by lot"
    example: ClassVar[str] = "Nebula(epsilon=1, delta=1e-8, p=0.105, d=5)"
    source: ClassVar[str] = "Bharadwaj, Cormode 2022 (sample and threshold); Brave, Nebula 2024"
    formula: ClassVar[str] = "S ~ Bin(users(a), p); publish S where S ≥ K"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("users",)

    epsilon: float = shared.epsilon()
    delta: float = shared.delta()
    p: float = parameter("probability to take part, in millionths at the finest", above=0, below=1)
    d: int = parameter(
        "how many different artifacts are kept of each user", least=1, most=MOST_KEYS, role=BOUND
    )
    k: int | None = parameter(
        "how many must have taken part; the fewest that ε and δ allow if left out",
        default=None,
        least=2,
        role=THRESHOLD,
    )
    keep: str = shared.keep()
    artifact: str = shared.artifact()
    representation: str = shared.representation()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.sampling < MILLION or abs(self.p * MILLION - self.sampling) > 1e-6:
            raise InputError(f"The 'p' parameter of Nebula has at most six decimals. Got {self.p!r}.")

    @property
    def threshold(self) -> int:
        """How many must have taken part for an artifact to be published."""
        if self.k is None:
            return smallest_sampled_threshold(self.sampling, self.d, self.epsilon, self.delta)
        needed = sampled_delta(self.sampling, self.k, self.d, self.epsilon)
        if needed > self.delta:
            raise InputError(
                f"With k = {self.k}, Nebula needs a δ of {needed:.3g} at this ε; leave k out for the fewest "
                "people that are enough."
            )
        return self.k

    @property
    def sampling(self) -> int:
        """p in millionths."""
        return round(self.p * MILLION)

    def promise(self) -> Promise:
        return self._promise(by_people=False)

    def opened(self, k: int) -> Promise:
        """Members of a collection draw themselves; nobody adds noise, so nobody is trusted to."""
        if self.k is not None and self.k < k:
            raise InputError(
                f"Nebula publishes what {self.k} people share, but the collection opens nothing below {k}. "
                f"Use Nebula with k={k} or more."
            )
        found = self._promise(by_people=True, at_least=k)
        seen = sampled_delta(self.sampling, _CLOSED, self.d, self.epsilon)
        sizes = (
            "The aggregation server also sees the sizes of groups that it cannot read: for all that it sees, "
            f"δ is {seen:.3g} at the same ε."
        )
        return replace(found, unprotected=(*found.unprotected, sizes))

    def _promise(self, *, by_people: bool, at_least: int = 2) -> Promise:
        K = max(self.threshold, at_least)
        bound = RandomKeys(self.d) if by_people or self.keep == "random" else FirstKeys(self.d)
        chosen = SampledThreshold(self.sampling, K, self.d, self.epsilon, by_people)
        table = TablePlan(Artifact(self.artifact, self.representation), "users", bound, chosen, None)
        return promise_of(
            [table],
            assumptions=(HONEST_USERS, _UNTOLD),
            unprotected=(INJECTION,),
            errata=(
                "δ is the exact worst case over all numbers of people, and for several artifacts composed by "
                "privacy loss distributions; the published bound for one artifact stands beside it.",
            ),
            proof="proofs/nebula.md",
            as_published={"δ of one artifact": published_delta(self.p, K, self.epsilon)},
        )
