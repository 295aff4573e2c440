"""Semantic k-anonymity by generalized k-cores (Carpineto and Romano 2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.artifacts.semantic.word_rule import NAMES, PAPER, WordRule
from crowdlog.errors import InputError
from crowdlog.extras import need
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.k_anonymity import UNPROTECTED, of_at_least, with_degrees
from crowdlog.mechanisms.parameters import ANONYMITY, parameter
from crowdlog.plan.decide import TableCounts, by_counts
from crowdlog.privacy.guarantee import anonymity
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.artifacts.semantic.vectors import Ints, Longs
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

_ERRATA = (
    "At Θ = 1 only the same text is affine: two texts with equal vectors have cosine 1, yet plain "
    "k-anonymity tells them apart.",
    "The degree counts the distinct users of a query and its neighbours, so its own users support it; "
    "the paper's core of degree k is our k + 1.",
    "A query without concepts stands alone instead of being removed: it is released when k users typed it, "
    "so that a lower Θ never releases less.",
)
_RIDES_OUT = "the paper lets every word of two people ride out on a frequent concept."

_ENGLISH = (
    "Words stand between blanks, and names of persons and places are those of English lists: in a log of "
    "another language names are not recognised, and queries may count as alike that are not."
)
_LEAST_PEOPLE = 1_000  # of a log for each user that a concept needs; our choice. The paper: 65,000


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
    formula: ClassVar[str] = (
        "the largest set S of queries with |⋃ users(p), p ∈ S Θ-affine to q| ≥ k for all q ∈ S"
    )
    whole_log: ClassVar[str] = (
        "it counts the different people behind several queries together, and nothing links the reports of "
        "one person"
    )

    k: int = parameter(
        "how many different users must stand behind a query and the released queries affine to it",
        least=2,
        role=ANONYMITY,
    )
    theta: float = parameter(
        "the cosine from which on two queries are affine; at 1 only the same text is", above=0, most=1
    )
    min_users: int = parameter(
        "how many different users a word or phrase needs to be a concept", default=10, least=1
    )
    word_users: int | None = parameter(
        "how many different users must have typed every word of a query, for it to be compared with others; "
        "left out: k. The paper's is 2",
        default=None,
        least=2,
    )
    names: str = parameter(
        "whether a query with a person's name may be released because of others like it ('allow'), or only "
        "if k users typed it ('block')",
        default="block",
        choices=NAMES,
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
        if self.rule.users > self.k:
            raise InputError(
                f"The 'word_users' parameter of SemanticKAnonymity must be at most k = {self.k}. "
                f"Got {self.word_users}."
            )

    @property
    def rule(self) -> WordRule:
        """Which words keep a query from being compared with others."""
        return WordRule(self.k if self.word_users is None else self.word_users, self.names)

    def check_inputs(self) -> None:
        need("text")

    def promise(self) -> Promise:
        steps = (
            Step(
                "Concepts",
                f"Words and phrases of at least {self.min_users} different users, without names of persons "
                "and places, weighed.",
            ),
            Step(
                "Rare words",
                f"{self._alone()} is compared with no other: it needs {self.k} users of its own.",
            ),
            Step("Affinity", self._affinity()),
            Step("Generalized core", self._core()),
        )
        assume = (
            f"A word that at least {self.rule.users} users typed identifies nobody.",
            "Affine queries are interchangeable to an attacker.",
            _ENGLISH,
        )
        return Promise(
            anonymity(self.k, "semantic k-anonymity of queries"),
            steps,
            (of_at_least(self.k),),
            {
                "theta": self.theta,
                "least users of a concept": self.min_users,
                "least users of every word": self.rule.users,
                "names of persons": self.names,
            },
            assumptions=assume,
            errata=self._errata(),
            unprotected=(*self._riding(), *UNPROTECTED),
            proof="proofs/semantic.md",
        )

    def _alone(self) -> str:
        """The beginning of a sentence: the queries that are compared with no other query."""
        named = ", or with the name of a person," if self.names == "block" else ""
        return f"A query with a word of fewer than {self.rule.users} users{named}"

    def _affinity(self) -> str:
        if self.theta == 1:
            return "Only queries of the same text are affine."
        return f"Two queries are affine when the cosine of their concepts is at least {self.theta:g}."

    def _core(self) -> str:
        if self.sample and self.theta < 1:
            return (
                f"Publish what {self.sample} random queries and their neighbourhoods show of the largest set "
                f"in which {self.k} users stand behind every query and its neighbours."
            )
        return f"Publish the largest set in which {self.k} users stand behind every query and its neighbours."

    def _errata(self) -> tuple[str, ...]:
        if self.rule == PAPER:
            return _ERRATA
        return (*_ERRATA, f"{self._alone().rstrip(',')} stands alone, too; {_RIDES_OUT}")

    def _riding(self) -> tuple[str, ...]:
        """Sentences on rare wordings that are published since others asked nearly the same; none at Θ = 1."""
        if self.theta == 1:
            return ()
        one = "A published query may have one author only, if others asked nearly the same."
        if self.rule.users < self.k:
            one += (
                f" Words of fewer than {self.k} people, but of {self.rule.users} at least, are published "
                "with it; the notes of the label say in how many queries."
            )
        if self.names == "allow":
            one += " Names of persons are published with it."
        return (one,)

    def doubts(self, users: int) -> tuple[str, ...]:
        """A warning for small logs: few words have `min_users` people, so unlike queries count as alike."""
        if self.theta == 1 or users >= _LEAST_PEOPLE * self.min_users:
            return ()
        return (
            f"The log has fewer than {_LEAST_PEOPLE * self.min_users:,} users: few words were typed by "
            f"{self.min_users} of them, so that queries with little in common count as alike, and far more "
            "is released for that than in the paper's log of 650,000 people.",
        )

    def protect(self, log: LogStore, randomness: Randomness, **options: Any) -> Protected:
        """Counts as any mechanism does, but the people behind a query are those of its neighbours, too."""
        degrees, notes = self._degrees(log, randomness)
        (plan,) = self.plan
        with self.open(log, **options) as source:
            found = source.counts(plan, randomness)
            behind = degrees[found.key].astype(np.int64)
            kept = by_counts(plan, TableCounts(found.key, found.impressions, behind), randomness)
            return Protected({plan.name: with_degrees(source, plan, kept, found.key, behind)}, notes)

    def _degrees(self, log: LogStore, randomness: Randomness) -> tuple[Ints, dict[str, int]]:
        """The different people behind each query and its neighbours in the core; and, for the label, how many
        texts with a rare word the paper's rule releases, and this one.
        """
        from crowdlog.artifacts.semantic.semantics import Semantics
        from crowdlog.log.size import parse_size

        size = parse_size(self.memory)
        sample = _sample(log.info.queries, self.sample, randomness) if self.sample else None

        def degrees(semantics: Semantics) -> Ints:
            if sample is None:
                return semantics.degrees(self.theta)
            return semantics.lower_bounds(self.theta, sample, self.vmax)

        chosen = Semantics(log, self.min_users, self.rule, memory=size)
        found = degrees(chosen)
        paper = found if self.rule == PAPER else degrees(Semantics(log, self.min_users, memory=size))
        rare = chosen.expansion.rarest_word < self.k
        words = f"queries with a word of fewer than {self.k} people"
        return found, {
            f"{words}, released": int((rare & (found >= self.k)).sum()),
            f"{words}, released by the paper's rule": int((rare & (paper >= self.k)).sum()),
        }


def _sample(n: int, size: int, randomness: Randomness) -> Longs:
    """At most `size` of n queries, all equally likely: those with the smallest random numbers."""
    order = np.argsort(np.frombuffer(randomness.bytes(8 * n), np.uint64), kind="stable")
    return np.sort(order[:size])
