"""Membership games on the histogram: a mechanism that counts and then decides is played by deciding alone.

The log is counted once. Without a person each count is less by what she added, which is exact where a bound
takes of each person the same rows whoever else is in the log. Many runs are decided at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.attacks.likelihood import Likelihood
from crowdlog.attacks.user_counts import fixed_counts
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.bounds import FirstKeys, FirstOccurrences, Unbounded
from crowdlog.plan.candidates import OfTheLog
from crowdlog.plan.decide import TableCounts, by_counts
from crowdlog.plan.selections import AtLeast, NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Bools, Floats, Ints

GAMES = 100_000  # at ε = 2 an alarm is raised by half a point above the promise instead of five
_AT_ONCE = 4_000_000  # counts that are decided together


def fits(mechanism: Mechanism, plan: TablePlan) -> bool:
    """Whether all randomness comes after counting, so that one histogram serves every run."""
    return (
        goes_the_common_way(mechanism)
        and isinstance(plan.selection, NoisyThreshold | AtLeast | None)
        and isinstance(plan.bound, FirstKeys | FirstOccurrences | Unbounded)
        and isinstance(plan.candidates, OfTheLog)
        and plan.artifact.representation == "original"
    )


def goes_the_common_way(mechanism: Mechanism) -> bool:
    """Whether it counts, decides and names as its plan says, and does nothing of its own."""
    made = type(mechanism)
    return (
        made.protect is Mechanism.protect and made.decide is Mechanism.decide and made.name is Mechanism.name
    )


@dataclass(frozen=True)
class HistogramGames:
    """The published queries `ids` of a log, and what each person adds to them."""

    plan: TablePlan
    impressions: Any  # people by published queries
    users: Any

    @classmethod
    def of(cls, plan: TablePlan, truth: Impressions, ids: Ints) -> HistogramGames:
        impressions, users = fixed_counts(truth, plan)
        return cls(plan, impressions[:, ids].tocsr(), users[:, ids].tocsr())

    def play(
        self, targets: Ints, games: int, noise: Likelihood, rng: np.random.Generator, randomness: Randomness
    ) -> Bools:
        """At least so many games with these targets, of whom no two share a published query: who was guessed
        right.
        """
        queries = self.impressions.shape[1]
        runs = -(-games // len(targets))
        at_once = max(1, _AT_ONCE // max(queries, 1))
        right = [
            self._play(targets, min(at_once, runs - done), noise, rng, randomness)
            for done in range(0, runs, at_once)
        ]
        return np.concatenate(right)

    def _play(
        self, targets: Ints, runs: int, noise: Likelihood, rng: np.random.Generator, randomness: Randomness
    ) -> Bools:
        inside = rng.random((runs, len(targets))) < 0.5
        shown = self._shown(targets, inside, randomness)
        own = (self.users if self.plan.counts == "users" else self.impressions)[targets].astype(float).tocsr()
        rest = self._total(self.plan.counts == "users")[own.indices] - own.data
        evidence = noise.evidence(
            np.tile(own.data, (runs, 1)), np.tile(rest, (runs, 1)), shown[:, own.indices]
        )
        total = np.add.reduceat(evidence, own.indptr[:-1], axis=1)  # every target has a published query
        guesses: Bools = np.where(total == 0, rng.random(total.shape) < 0.5, (total > 0) == inside)
        return guesses.ravel()

    def _shown(self, targets: Ints, inside: Bools, randomness: Randomness) -> Floats:
        """What each run publishes: NaN where a query is not shown."""
        runs, queries = len(inside), self.impressions.shape[1]
        counts = [
            np.rint(self._total(of_users) - (~inside).astype(float) @ matrix[targets].toarray()).astype(
                np.int64
            )
            for of_users, matrix in ((False, self.impressions), (True, self.users))
        ]
        found = TableCounts(np.arange(runs * queries), counts[0].ravel(), counts[1].ravel())
        # what nobody has is no candidate: it is not in the log
        there = np.flatnonzero(found.impressions > 0)
        kept = by_counts(
            self.plan, TableCounts(there, found.impressions[there], found.users[there]), randomness
        )
        shown = np.full(runs * queries, np.nan)
        shown[kept.key] = kept.count
        return shown.reshape(runs, queries)

    def _total(self, of_users: bool) -> Floats:
        return np.asarray((self.users if of_users else self.impressions).sum(axis=0), float).ravel()
