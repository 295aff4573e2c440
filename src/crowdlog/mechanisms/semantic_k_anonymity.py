"""Semantic k-anonymity by generalized k-cores (Carpineto and Romano 2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.k_anonymity import UNPROTECTED, of_at_least, with_degrees
from crowdlog.mechanisms.parameters import parameter
from crowdlog.plan.decide import TableCounts, by_counts
from crowdlog.privacy.guarantee import anonymity
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.artifacts.semantic.vectors import Ints, Longs
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

_ERRATA = (
    "At Θ = 1 only the same text is affine: two texts with equal vectors have cosine 1, yet plain k-anonymity tells them apart.",
    "The degree counts the distinct users of a query and its neighbours, so its own users support it; the paper's core of degree k is our k + 1.",
    "A query without concepts stands alone instead of being removed: it is released when k users typed it, so that a lower Θ never releases less.",
)


@dataclass(frozen=True, repr=False)
class SemanticKAnonymity(Mechanism):
    """Publish the queries that have at least k different users among them and their Θ-affine queries, within
    the release itself.
    """

    title: ClassVar[str] = (
        "Queries with at least k different users among the affine queries released with them"
    )
    example: ClassVar[str] = "SemanticKAnonymity(k=20, theta=0.5)"
    source: ClassVar[str] = "Carpineto and Romano 2013"
    whole_log: ClassVar[str] = (
        "it counts the different people behind several queries together, and nothing links the reports of one person"
    )

    k: int = parameter(
        "how many different users must stand behind a query and the released queries affine to it", least=2
    )
    theta: float = parameter(
        "the cosine from which on two queries are affine; at 1 only the same text is", above=0, most=1
    )
    min_users: int = parameter(
        "how many different users a word or phrase needs to be a concept", default=10, least=1
    )
    sample: int = parameter(
        "how many random queries to start from in the paper's approximate mode; 0: the exact result",
        default=0,
        least=0,
    )
    # §4
    vmax: int = parameter(
        "how many vectors a neighbourhood may have in the approximate mode", default=2000, least=1
    )
    memory: str = parameter(
        "how much memory the graph may take before it moves to temporary files", default="6GB"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        from crowdlog.artifacts.semantic.theta import Theta
        from crowdlog.log.size import parse_size

        Theta.of(self.theta)
        parse_size(self.memory)

    def promise(self) -> Promise:
        steps = (
            Step(
                "Concepts",
                f"Words and phrases of at least {self.min_users} different users, without names of persons and places, weighed.",
            ),
            Step(
                "Affinity",
                f"Two queries are affine when the cosine of their concepts is at least {self.theta:g}.",
            ),
            Step(
                "Generalized core",
                f"Publish the largest set in which {self.k} users stand behind every query and its neighbours.",
            ),
        )
        assume = (
            "A word that at least two users typed identifies nobody.",
            "Affine queries are interchangeable to an attacker.",
        )
        return Promise(
            anonymity(self.k, "semantic k-anonymity of queries"),
            steps,
            (of_at_least(self.k),),
            {"theta": self.theta, "least users of a concept": self.min_users},
            assumptions=assume,
            errata=_ERRATA,
            unprotected=UNPROTECTED,
            proof="proofs/semantic.md",
        )

    def protect(self, log: LogStore, randomness: Randomness, **options: Any) -> Protected:
        """Counts as any mechanism does, but the people behind a query are those of its neighbours, too."""
        degrees = self._degrees(log, randomness)
        (plan,) = self.plan
        with self.open(log, **options) as source:
            found = source.counts(plan, randomness)
            behind = degrees[found.key].astype(np.int64)
            kept = by_counts(plan, TableCounts(found.key, found.impressions, behind), randomness)
            return Protected({plan.name: with_degrees(source, plan, kept, found.key, behind)})

    def _degrees(self, log: LogStore, randomness: Randomness) -> Ints:
        """The different people behind each query and its neighbours in the core."""
        from crowdlog.artifacts.semantic.semantics import Semantics
        from crowdlog.log.size import parse_size

        semantics = Semantics(log, self.min_users, memory=parse_size(self.memory))
        if self.sample:
            return semantics.lower_bounds(
                self.theta, _sample(log.info.queries, self.sample, randomness), self.vmax
            )
        return semantics.degrees(self.theta)


def _sample(n: int, size: int, randomness: Randomness) -> Longs:
    """At most `size` of n queries, all equally likely: those with the smallest random numbers."""
    order = np.argsort(np.frombuffer(randomness.bytes(8 * n), np.uint64), kind="stable")
    return np.sort(order[:size])
