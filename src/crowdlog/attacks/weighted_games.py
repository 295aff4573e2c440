"""Membership games of mechanisms that weigh all queries together: the log is read once, and every run chooses
and counts anew without the people whom a coin left out.

A run is exact: what is drawn, in which order and from what, is what the mechanism does on the log without
them. Only the reading of rows, which depends on nobody else, is not repeated. Each round of a selection is
aimed by the noise of the rounds before, so that runs cannot be decided together: 10⁵ games are played by many
people in each run. Counts of what is shown are a Gaussian mechanism of their own, whatever was shown: of them
10⁵ games are played too, against what their own part of the promise admits, which is less than the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from crowdlog.attacks.histogram_games import goes_the_common_way
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.bounds import SquaredBudget
from crowdlog.plan.candidates import OfTheLog
from crowdlog.plan.decide import KeyHistories, by_weights, own_sizes_of, published
from crowdlog.plan.selections import KeySelection, WeightedRounds
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.types import Bools, Floats, Ints

GAMES = 100_000  # on counts
ROWS = 60_000_000  # that all runs together may weigh: about 20 CPU seconds
FEWEST, MOST = 40, 1_000  # runs, however large or small the log is
_AT_ONCE = 4_000_000  # counts that are drawn together


def fits(mechanism: Mechanism, plan: TablePlan) -> bool:
    """Whether choosing and counting histories is all that it does for its table of queries."""
    return (
        goes_the_common_way(mechanism)
        and isinstance(plan.selection, WeightedRounds | KeySelection)
        and isinstance(plan.bound, SquaredBudget)
        and isinstance(plan.candidates, OfTheLog)
        and plan.artifact.representation == "original"
    )


@dataclass(frozen=True)
class WeightedGames:
    """What everybody did, and how much of it each person may bring."""

    plan: TablePlan
    found: KeyHistories
    sizes: Ints | None
    queries: int

    @classmethod
    def of(cls, mechanism: Mechanism, plan: TablePlan, log: LogStore) -> WeightedGames:
        with mechanism.open(log) as source:
            found, sizes = source.histories(plan, None), own_sizes_of(mechanism.plan, source)
        return cls(plan, found, sizes, log.info.queries)

    def shown_without(self, absent: Ints, randomness: Randomness) -> Floats:
        """The count of every query in one release of the log without these people; NaN: not published."""
        there = replace(self.found, histories=without(self.found.histories, absent))
        kept = by_weights(self.plan, there, randomness, self.sizes)
        shown = np.full(self.queries, np.nan)
        shown[kept.key] = kept.count
        return shown

    def affordable(self) -> int:
        """Runs."""
        return min(MOST, max(FEWEST, ROWS // max(len(self.found.histories.items), 1)))

    def play(
        self,
        runs: int,
        choose: Callable[[], Ints],
        guess: Callable[[Floats, Ints, Bools], Bools],
        rng: np.random.Generator,
        randomness: Randomness,
    ) -> list[Bools]:
        """Who was guessed right, in each run of the mechanism."""
        right = []
        for _run in range(runs):
            targets = choose()
            inside = rng.random(len(targets)) < 0.5
            right.append(guess(self.shown_without(targets[~inside], randomness), targets, inside))
        return right

    def play_counts(
        self, ids: Ints, targets: Ints, rng: np.random.Generator, randomness: Randomness
    ) -> Bools:
        """Games on the counts of these published queries alone, with an attacker who also knows what bounding
        left of everybody, her included. No two targets share a published query.
        """
        shown, budget = self.found.histories.only(np.sort(ids)), self._budget
        rest = without(shown, targets).counts(budget, randomness)
        everybody = np.arange(len(shown.offsets) - 1)
        mine = np.stack(
            [without(shown, everybody[everybody != one]).counts(budget, randomness) for one in targets]
        )
        runs = -(-GAMES // len(targets))
        at_once = max(1, _AT_ONCE // len(rest))
        blocks = [min(at_once, runs - done) for done in range(0, runs, at_once)]
        return np.concatenate([self._play_counts(block, rest, mine, rng, randomness) for block in blocks])

    def _play_counts(
        self, runs: int, rest: Ints, mine: Ints, rng: np.random.Generator, randomness: Randomness
    ) -> Bools:
        inside = rng.random((runs, len(mine))) < 0.5
        true = rest + inside.astype(np.int64) @ mine
        kept = published(self.plan, np.arange(true.size), true.ravel(), randomness)
        noisy = np.tile(rest, runs).astype(float)  # what is left out tells nothing here
        noisy[kept.key] = kept.count
        over = noisy.reshape(true.shape) - rest
        evidence = over @ mine.T - (mine * mine).sum(axis=1) / 2
        right: Bools = np.where(evidence == 0, rng.random(evidence.shape) < 0.5, (evidence > 0) == inside)
        return right.ravel()

    def counts_admit(self) -> float | None:
        """The best share of right guesses from the counts alone; None where there are none."""
        noise = self.plan.noise
        if not isinstance(noise, RoundedGaussian):
            return None
        return float(ndtr(math.sqrt(self._budget) / noise.sd / 2))

    @property
    def _budget(self) -> int:
        if not isinstance(self.plan.bound, SquaredBudget):
            raise TypeError(f"weights are bounded by a squared budget, not by {self.plan.bound}")
        return self.plan.bound.budget


def without(histories: Histories, absent: Ints) -> Histories:
    """The same numbering of users and items; these people did nothing."""
    did: Any = np.diff(histories.offsets)
    there = np.ones(len(did), bool)
    there[absent] = False
    offsets = np.concatenate([[0], np.cumsum(np.where(there, did, 0))])
    return Histories(offsets, histories.items[np.repeat(there, did)], histories.size)
