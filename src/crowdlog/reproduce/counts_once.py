"""Counting once, deciding with many noises: what a log holds does not change with the seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from crowdlog.engine.log_source import LogSource
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.bounds import RandomKeys, RandomOccurrences
from crowdlog.plan.decide import KeyHistories, TableCounts
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import Randomness, SeededRandomness
from crowdlog.types import Ints


@dataclass(frozen=True)
class CountedOnce:
    """A log whose counts, by the table of one mechanism, are kept while it is open.

    Bounds that draw people's artifacts by lot are counted anew: they belong to the noise.
    """

    source: LogSource
    _kept: dict[str, TableCounts] = field(default_factory=dict)

    def counts(self, plan: TablePlan, randomness: Randomness) -> TableCounts:
        if isinstance(plan.bound, RandomKeys | RandomOccurrences):
            return self.source.counts(plan, randomness)
        if plan.name not in self._kept:
            self._kept[plan.name] = self.source.counts(plan, randomness)
        return self._kept[plan.name]

    def histories(self, plan: TablePlan, shown: Ints | None) -> KeyHistories:
        return self.source.histories(plan, shown)

    def artifacts_per_user(self, plan: TablePlan) -> Ints:
        return self.source.artifacts_per_user(plan)


def tables_by_seed(mechanism: Mechanism, log: LogStore, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The tables that the mechanism would publish with the noise of each seed, in turn."""
    with mechanism.open(log) as source:
        once = CountedOnce(source)
        for seed in seeds:
            yield mechanism.name(source, mechanism.decide(once, SeededRandomness(seed)))
