"""Decide what is published: counts in, kept keys and their published counts out.

The only place of a release that draws noise.

It knows no log and no text: a log, a collection's opened reports or an audit's made-up counts may stand
behind `CountSource`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from crowdlog.plan.bounds import Counts, SquaredBudget
from crowdlog.plan.candidates import OfShown, PublicResults
from crowdlog.plan.selections import AtLeast, GradedRounds, NoisyThreshold, SampledThreshold, WeightedRounds
from crowdlog.plan.table import RowNoise, TablePlan
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.keyed import KeyedRandomness, for_keys, within
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.sampled_counts import draw_participants
from crowdlog.types import Floats, Ints


@dataclass(frozen=True)
class TableCounts:
    """Candidates of one table with what is counted of each.

    `owners`: the keys of queries that must be shown for each to be a candidate.
    """

    key: Ints
    impressions: Ints
    users: Ints
    owners: tuple[Ints, ...] = ()

    def of(self, counts: Counts) -> Ints:
        return self.users if counts == "users" else self.impressions

    def owned_by(self, shown: Ints) -> TableCounts:
        """The candidates whose owner queries are all published already."""
        kept = np.flatnonzero(np.logical_and.reduce([np.isin(owner, shown) for owner in self.owners]))
        users = self.users[kept] if len(self.users) else self.users
        return TableCounts(self.key[kept], self.impressions[kept], users)

    def __repr__(self) -> str:
        return f"TableCounts({len(self.key)} keys)"


@dataclass(frozen=True)
class KeyHistories:
    """What each person did, as small numbers, and the key of each number.

    `prior`: public numbers from 0 to 1 that a selection favours by.
    """

    key: Ints
    histories: Histories
    prior: Floats | None = None


@dataclass(frozen=True)
class Kept:
    """The keys of one table that may be seen, and their published counts."""

    key: Ints
    count: Ints

    def __repr__(self) -> str:
        return f"Kept({len(self.key)} keys)"


class CountSource(Protocol):
    """A log, a collection or an audit, seen as something that returns counts."""

    def counts(self, plan: TablePlan, randomness: Randomness) -> TableCounts:
        """The bounded counts of all candidates."""
        ...

    def histories(self, plan: TablePlan, shown: Ints | None) -> KeyHistories:
        """What each person did; of keys with owners only those whose queries are all among `shown`."""
        ...

    def artifacts_per_user(self, plan: TablePlan) -> Ints:
        """How many artifacts of this kind each user has, repeats included and shown or not, by her number."""
        ...


@runtime_checkable
class DecidesThere(Protocol):
    """A source whose counts stay where they are: it follows the same plans, and hands out what is kept."""

    def decide(self, plans: Sequence[TablePlan], randomness: KeyedRandomness) -> dict[str, Kept]: ...


def decide(
    plans: Sequence[TablePlan], source: CountSource | DecidesThere, randomness: Randomness
) -> dict[str, Kept]:
    """The tables in their order; later ones may depend on what is shown in the table of queries."""
    if isinstance(source, DecidesThere):
        keyed = randomness if isinstance(randomness, KeyedRandomness) else KeyedRandomness.of(randomness)
        return source.decide(plans, keyed)
    kept: dict[str, Kept] = {}
    sizes = own_sizes_of(plans, source)
    for plan in plans:
        shown = kept["queries"].key if isinstance(plan.candidates, OfShown | PublicResults) else None
        kept[plan.name] = _decide(plan, source, shown, sizes, within(randomness, plan.name))
    return kept


def own_sizes_of(plans: Sequence[TablePlan], source: CountSource) -> Ints | None:
    """One size per user for the whole release: in no table has she more different keys.

    It is taken from her rows before anything is published and never again: a size that depended on what an
    earlier table showed would not be hers (proofs/crowd.md).
    """
    sized = [plan for plan in plans if isinstance(plan.selection, WeightedRounds) and plan.selection.own]
    if not sized:
        return None
    each = [source.artifacts_per_user(plan) for plan in sized]
    sizes = np.zeros(max(len(one) for one in each), np.int64)
    for one in each:
        sizes[: len(one)] = np.maximum(sizes[: len(one)], one)
    return sizes


def _decide(
    plan: TablePlan, source: CountSource, shown: Ints | None, sizes: Ints | None, randomness: Randomness
) -> Kept:
    if plan.selection is None or isinstance(plan.selection, NoisyThreshold | AtLeast | SampledThreshold):
        found = source.counts(plan, randomness)
        return by_counts(plan, found if shown is None else found.owned_by(shown), randomness)
    return by_weights(plan, source.histories(plan, shown), randomness, sizes)


def by_counts(plan: TablePlan, found: TableCounts, randomness: Randomness) -> Kept:
    """Choose by counts with noise, or by exact ones."""
    true = found.of(plan.counts)
    match plan.selection:
        case NoisyThreshold() as selection:
            compared = found.of(selection.on)
            # A raw filter looks at the data: it is part of δ. Without one, public candidates that nobody has
            # get noise, too.
            chosen = (
                np.flatnonzero(compared >= selection.at_least)
                if selection.at_least > 1
                else np.arange(len(compared))
            )
            noisy = compared[chosen] + selection.noise.draw(
                len(chosen), for_keys(randomness, "selection", found.key[chosen])
            )
            passed = noisy > selection.K
            chosen = chosen[passed]
            if plan.reuses_noise:
                return Kept(found.key[chosen], noisy[passed])
        case AtLeast(k, on):
            chosen = np.flatnonzero(found.of(on) >= k)
        case SampledThreshold() as selection:
            drawn = found.users
            if not selection.by_people:
                drawn = draw_participants(found.users, selection.millionths, selection.K, randomness)
            chosen = np.flatnonzero(drawn >= selection.K)
            return Kept(found.key[chosen], drawn[chosen])
        case _:
            chosen = np.arange(len(found.key))
    return published(plan, found.key[chosen], true[chosen], randomness)


def by_weights(
    plan: TablePlan, found: KeyHistories, randomness: Randomness, sizes: Ints | None = None
) -> Kept:
    """Choose by weights that people divide among their keys, then count what is left of each person's squared
    budget. `sizes`: of each person in the whole release.
    """
    selection, bound = plan.selection, plan.bound
    if (
        selection is None
        or isinstance(selection, NoisyThreshold | AtLeast | SampledThreshold | GradedRounds)
        or not isinstance(bound, SquaredBudget)
    ):
        raise TypeError(f"a selection by weights needs a squared budget, got {bound}")
    named = within(randomness, "histories", found.key)
    kept = selection.select(found.histories.distinct(), named, found.prior, sizes).items
    if plan.names_only:
        return published(plan, found.key[kept], kept, randomness)
    true = found.histories.only(kept).counts(bound.budget, within(named, "counts", found.key[kept]))
    return published(plan, found.key[kept], true, randomness)


def published(plan: TablePlan, key: Ints, true: Ints, randomness: Randomness) -> Kept:
    """The counts with fresh noise.

    Cleaning and leaving out look at published numbers only, so they cost nothing. Where names alone are
    published, the true counts are not looked at.
    """
    if plan.names_only:
        return Kept(key, np.ones_like(key))
    if isinstance(plan.noise, RowNoise):
        raise TypeError("noise that differs from row to row is drawn with the counts")
    if plan.noise is None:
        return Kept(key, true)
    noisy = true + plan.noise.draw(len(true), for_keys(randomness, "count", key))
    if plan.least is not None:
        enough = noisy >= plan.least
        key, noisy = key[enough], noisy[enough]
    return Kept(key, np.maximum(noisy, 0) if plan.clean else noisy)
