"""The audits of noise and selection once more, on counts behind which there is no log: at the owner's own
parameters, with counts of millions, and where δ is large with keys of one person alone.

The other audits run at small parameters, because a log of large crowds takes long to make. Numbers take no
time: what a mechanism decides at other parameters than those is seen here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.audit.answers import decided
from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.finding import Finding
from crowdlog.audit.noise import fit, support
from crowdlog.audit.selection import PLACES
from crowdlog.audit.trial import SURE, USUALLY, margin
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.candidates import OfShown, PublicResults
from crowdlog.plan.decide import Kept, KeyHistories, TableCounts
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import Noise, RowNoise, TablePlan
from crowdlog.privacy.histories import Histories
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.privacy.randomness import Randomness

RUNS = 4
KEYS = 2000  # of each count
HUGE = 10**7  # a count that no made-up log has
PEOPLE = 100_000  # whose histories are made at most
FAR_WEIGHTS = 8  # standard deviations above the bar of a selection by weights: always shown


@dataclass(frozen=True)
class KeysByCount:
    """So many keys of each count for every table. Clicks and pairs are of the queries with the largest."""

    groups: dict[str, Ints]  # by table: the count of each group of keys
    keys: int  # in a group
    owned: frozenset[str]  # tables of clicks and pairs

    def key(self, plan: TablePlan) -> Ints:
        number = np.arange(len(self.groups[plan.name]) * self.keys)
        return pack(self._owner(plan), number) if plan.name in self.owned else number

    def counts(self, plan: TablePlan, randomness: Randomness) -> TableCounts:
        count = np.repeat(self.groups[plan.name], self.keys)
        owner = self._owner(plan)
        return TableCounts(self.key(plan), count, count, (owner,) if plan.name in self.owned else ())

    def histories(self, plan: TablePlan, shown: Ints | None) -> KeyHistories:
        """Everybody has one key, once."""
        key = self.key(plan)
        people = np.repeat(self.groups[plan.name], self.keys)
        if shown is not None:
            here = np.isin(self._owner(plan), shown)
            key, people = key[here], people[here]
        items = np.repeat(np.arange(len(key)), people)
        return KeyHistories(key, Histories.from_rows(np.arange(len(items)), items, len(key)))

    def artifacts_per_user(self, plan: TablePlan) -> Ints:
        return np.ones(int(self.groups[plan.name].sum()) * self.keys, np.int64)

    def _owner(self, plan: TablePlan) -> Ints:
        """The query of each key: one of the last group's, which are always shown."""
        queries = self.groups.get("queries", self.groups[plan.name])
        number = np.arange(len(self.groups[plan.name]) * self.keys)
        return (len(queries) - 1) * self.keys + number % self.keys


@dataclass(frozen=True)
class _OfGroup:
    """The counts that all runs published of one group, and how many keys they tried in all."""

    published: Ints
    tried: int


def audit_made_up_counts(
    mechanism: Mechanism, where: str, randomness: Randomness, alpha: float
) -> list[Finding]:
    """Noise and selection of every table at these parameters; nothing of mechanisms that count in a way of
    their own, which needs a log.
    """
    plans = [plan for plan in mechanism.plan if _countable(plan)]
    if type(mechanism).protect is not Mechanism.protect or len(plans) < len(mechanism.plan):
        return []
    groups = {plan.name: _groups(plan) for plan in plans}
    people = max((int(groups[plan.name].sum()) for plan in plans if not _by_counts(plan)), default=0)
    keys = max(10, min(KEYS, PEOPLE // people)) if people else KEYS
    source = KeysByCount(groups, keys, frozenset(plan.name for plan in plans if _owned(plan)))
    runs = [decided(mechanism, source, randomness) for _ in range(RUNS)]
    level = alpha / sum(2 * len(counts) for counts in groups.values())
    return [
        finding
        for plan in plans
        for number, count in enumerate(groups[plan.name].tolist())
        for finding in _findings(plan, count, _of_group(runs, source, plan, number), level, where)
    ]


def _findings(plan: TablePlan, count: int, seen: _OfGroup, level: float, where: str) -> Iterator[Finding]:
    """Of one group of keys."""
    place = f"{plan.name}, {where}, count of {count}"
    published, tried = seen.published, seen.tried
    if isinstance(plan.selection, NoisyThreshold):
        chance = plan.selection.shown(count)
        if plan.least is not None and plan.noise is not None and not plan.reuses_noise:
            chance *= plan.noise.tail(plan.least - count - 1)
        alarm = not lower(len(published), tried, level) <= chance <= upper(len(published), tried, level)
        told = f"It is shown with probability {len(published) / tried:.4g}; declared is {chance:.4g}."
        yield Finding("selection", place, chance, len(published) / tried, alarm, told)
    if plan.noise is not None and not plan.names_only:
        p = fit(published - count, plan.noise, *_smallest(plan, plan.noise, count))
        if p is not None:
            told = f"Noise like this or stranger has probability {p:.2g} under the declared distribution."
            yield Finding("noise", place, level, p, p < level, told)


def _smallest(plan: TablePlan, noise: Noise, count: int) -> tuple[int, bool]:
    """Where the first bin of noise ends at the least, and whether smaller noise is hidden: none is, far above
    a bar.
    """
    lowest, hidden = support(plan, count)
    least = -margin(noise, USUALLY)
    return (least, False) if lowest < least else (lowest, hidden)


def _of_group(
    runs: Sequence[Mapping[str, Kept]], source: KeysByCount, plan: TablePlan, number: int
) -> _OfGroup:
    group = source.key(plan)[number * source.keys : (number + 1) * source.keys]
    tables = [run[plan.name] for run in runs]
    published = np.concatenate([kept.count[np.isin(kept.key, group)] for kept in tables])
    return _OfGroup(published, source.keys * len(runs))


def _groups(plan: TablePlan) -> Ints:
    """Counts around the bar, of one and of two people, and the largest last: these are always shown."""
    if _by_counts(plan):
        noises: list[Noise] = [] if plan.noise is None else [plan.noise]
        near: set[int] = set()
        if isinstance(bar := plan.selection, NoisyThreshold):
            noises.append(bar.noise)
            near = {max(1, round(bar.K + place * bar.scale)) for place in PLACES}
        far = max([0, *near]) + 2 * max((margin(noise, SURE) for noise in noises), default=1)
        return np.array(sorted({1, 2, *near, far, max(HUGE, 2 * far)}), np.int64)
    crossing = plan.selection.crossing  # type: ignore[union-attr]  # by weights: it has one
    return np.array([round(crossing.centre + FAR_WEIGHTS * crossing.sd) + 1], np.int64)


def _by_counts(plan: TablePlan) -> bool:
    return plan.selection is None or isinstance(plan.selection, NoisyThreshold)


def _owned(plan: TablePlan) -> bool:
    return isinstance(plan.candidates, OfShown | PublicResults)


def _countable(plan: TablePlan) -> bool:
    """Whether made-up counts can stand for what this table counts."""
    return not isinstance(plan.noise, RowNoise)
