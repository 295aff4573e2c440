"""Semantic k-anonymity by generalized k-cores (Carpineto and Romano 2013), and plain k-anonymity as its Θ = 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.count import histogram
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.frequency import WEAKNESSES
from crowdlog.mechanisms.mining import open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.artifacts.semantic.vectors import Ints, Longs
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

_SOURCE = "Carpineto and Romano 2013"
_UNPROTECTED = (
    "Several queries of one person together: each may hide among k users while their combination points at one.",
    "What all k users have in common: if everybody around a query shares a secret, the query tells it.",
    *WEAKNESSES,
)
_ERRATA = (
    "At Θ = 1 only the same text is affine: two texts with equal vectors have cosine 1, yet plain k-anonymity tells them apart.",
    "The degree counts the distinct users of a query and its neighbours, so its own users support it; the paper's core of degree k is our k + 1.",
    "A query without concepts stands alone instead of being removed: it is released when k users typed it, so that a lower Θ never releases less.",
)


@dataclass(frozen=True, repr=False)
class KAnonymity(Mechanism):
    """Publish the queries that at least k different users typed, with their exact number of impressions."""

    title: ClassVar[str] = "Queries typed by at least k different users"
    source: ClassVar[str] = f"{_SOURCE}, §1"

    k: int = parameter("how many different users must have typed a query", least=2)

    def promise(self) -> Promise:
        step = Step("k-anonymity", f"Publish every query that at least {self.k} different users typed.")
        return Promise(NO_GUARANTEE, (step,), {"k": self.k, "theta": 1}, unprotected=_UNPROTECTED, proof="proofs/semantic.md")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        from crowdlog.artifacts.semantic.semantics import Semantics

        return _publish(log, Semantics(log).degrees(1), self.k)


@dataclass(frozen=True, repr=False)
class SemanticKAnonymity(Mechanism):
    """Publish the queries that have at least k different users among them and their Θ-affine queries, within the release itself."""

    title: ClassVar[str] = "Queries with at least k different users among the affine queries released with them"
    source: ClassVar[str] = _SOURCE

    k: int = parameter("how many different users must stand behind a query and the released queries affine to it", least=2)
    theta: float = parameter("the cosine from which on two queries are affine; at 1 only the same text is", above=0, most=1)
    min_users: int = parameter("how many different users a word or phrase needs to be a concept", default=10, least=1)
    sample: int = parameter("how many random queries to start from in the paper's approximate mode; 0: the exact result", default=0, least=0)
    vmax: int = parameter("how many vectors a neighbourhood may have in the approximate mode", default=2000, least=1)  # §4
    memory: str = parameter("how much memory the graph may take before it moves to temporary files", default="6GB")

    def __post_init__(self) -> None:
        super().__post_init__()
        from crowdlog.artifacts.semantic.theta import Theta
        from crowdlog.log.size import parse_size

        Theta.of(self.theta)
        parse_size(self.memory)

    def promise(self) -> Promise:
        steps = (
            Step("Concepts", f"Words and phrases of at least {self.min_users} different users, without names of persons and places, weighed."),
            Step("Affinity", f"Two queries are affine when the cosine of their concepts is at least {self.theta:g}."),
            Step("Generalized core", f"Publish the largest set in which {self.k} users stand behind every query and its neighbours."),
        )
        settings = {"k": self.k, "theta": self.theta, "min_users": self.min_users}
        assume = ("A word that at least two users typed identifies nobody.", "Affine queries are interchangeable to an attacker.")
        return Promise(NO_GUARANTEE, steps, settings, assumptions=assume, errata=_ERRATA, unprotected=_UNPROTECTED, proof="proofs/semantic.md")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        from crowdlog.artifacts.semantic.semantics import Semantics
        from crowdlog.log.size import parse_size

        semantics = Semantics(log, self.min_users, memory=parse_size(self.memory))
        if self.sample:
            chosen = _sample(log.info.queries, self.sample, randomness)
            return _publish(log, semantics.lower_bounds(self.theta, chosen, self.vmax), self.k)
        return _publish(log, semantics.degrees(self.theta), self.k)


def _sample(n: int, size: int, randomness: Randomness) -> Longs:
    """At most `size` of n queries, all equally likely: those with the smallest random numbers."""
    order = np.argsort(np.frombuffer(randomness.bytes(8 * n), np.uint64), kind="stable")
    return np.sort(order[:size])


def _publish(log: LogStore, degrees: Ints, k: int) -> Protected:
    """The queries of degree k and more with their impressions and their degree."""
    kind = Artifact("query")
    with open_mine(log) as mine:
        counts = histogram(mine.artifacts(kind), users=False)
        kept = degrees[counts.key] >= k
        table = mine.table(kind, counts.key[kept], counts.impressions[kept], degree=degrees[counts.key[kept]].astype(np.int64))
    return Protected({"queries": table})
