"""Scouted greedy: every user supports one item with one unit, and each item is decided by the best rule for
one unit. Best where users hold few items.

Proof: proofs/selection-greedy.md.

A noisy scouting sum says which of her items many others hold; users with few items choose first; an item that
has enough takes no more, so later users help the next one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from crowdlog.errors import InputError
from crowdlog.privacy.gaussian import check_epsilon_delta
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.base import Selected, SelectionPromise, unweighted
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.truncated_geometric import ONE, TruncatedGeometric, passes
from crowdlog.types import Hashes, Ints

_REDRAWS = 20  # of tags, before their source is taken for a constant one
SCOUTING = 4096  # units that one user spreads while scouting: she touches at most so many items
ENOUGH = Fraction(999, 1000)  # an item takes no more units once it is released with this chance
DISTANCE_SHARE = 0.5  # of δ at most may be spent on the sampler's distance from ideal noise


@dataclass(frozen=True)
class ScoutedBudget:
    """How (ε, δ) is divided: ε of scouting (0: none), ε and δ of the decision."""

    scouting: float
    epsilon: float
    delta: float


@dataclass(frozen=True)
class ScoutedGreedy:
    """`scout`: the share of ε for scouting; 0 where most of what users hold is shared by many."""

    noise_share: ClassVar[None] = None

    scout: float = 0.2

    def __post_init__(self) -> None:
        if not 0 <= self.scout < 1:
            raise InputError(f"The share of ε for scouting must be at least 0 and below 1. Got {self.scout}.")

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        chances = self.chances(self.budget(epsilon, delta))
        half = next(units for units, chance in enumerate([*chances, ONE]) if 2 * chance >= ONE)
        parameters: dict[str, float] = {"scouting share": self.scout, "most units": enough(chances)}
        return SelectionPromise(approximate(epsilon, delta), half, 1 / epsilon, parameters)

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        return self.run(incidence, self.budget(epsilon, delta), randomness)

    def budget(self, epsilon: float, delta: float, spent: float = 0.0) -> ScoutedBudget:
        """`spent`: what an earlier step took of δ, not of ε."""
        check_epsilon_delta(epsilon, delta)
        scouting = self.scout * epsilon * ROOM_BELOW
        distance = spent
        if scouting > 0:
            eta = scouting_noise(scouting).statistical_distance
            distance += SCOUTING * eta * (1 + math.exp(scouting)) * (1 + 1e-9)
        if distance > DISTANCE_SHARE * delta:
            raise InputError(
                f"δ must be at least {2 * distance:.2g} for this selection: its noise is drawn from tables. "
                f"Got {delta}."
            )
        return ScoutedBudget(scouting, (epsilon - scouting) * ROOM_BELOW, (delta - distance) * ROOM_BELOW)

    def chances(self, budget: ScoutedBudget) -> list[int]:
        """The chance, in 1/2¹²⁸, that an item with 0, 1, 2, … units is released."""
        return TruncatedGeometric().chances(budget.epsilon, budget.delta)

    def run(self, incidence: Incidence, budget: ScoutedBudget, randomness: Randomness) -> Selected:
        from crowdlog.privacy.selection import kernels

        chances = self.chances(budget)
        held, ids = incidence.held()
        preference = ranks(held, budget.scouting, randomness)[held.items]  # one order for all users
        order = user_order(held, randomness)
        units = kernels.one_unit_each(held.offsets, held.items, held.size, preference, order, enough(chances))
        given = np.flatnonzero(units)  # items without a unit are never released
        return unweighted(ids[given[passes(chances, units[given], randomness)]])


def enough(chances: list[int]) -> int:
    """The fewest units with which an item is nearly always released."""
    return next(units for units, chance in enumerate([*chances, ONE]) if chance >= ENOUGH * ONE)


def scouting_noise(epsilon: float) -> DiscreteLaplace:
    return DiscreteLaplace(SCOUTING / epsilon / ROOM_BELOW)


def ranks(held: Incidence, epsilon: float, randomness: Randomness) -> Ints:
    """The common order of all held items: by noisy scouting sums, equal ones by lot; all by lot without
    scouting. Every held item gets noise, whoever holds it.
    """
    from crowdlog.privacy.selection import kernels

    lot = different_tags(held.size, randomness)
    if epsilon == 0:
        order = np.argsort(lot)
    else:
        sums = kernels.spread_evenly(held.offsets, held.items, held.size, SCOUTING)
        order = np.lexsort((lot, sums + scouting_noise(epsilon).draw(held.size, randomness)))
    rank = np.empty(held.size, np.int64)
    rank[order] = np.arange(held.size)
    return rank


def user_order(held: Incidence, randomness: Randomness) -> Ints:
    """Users with at least one item: those with few items first, equal ones by lot."""
    sizes = np.diff(held.offsets)
    lot = by_lot(held, randomness)
    return lot[np.argsort(sizes[lot], kind="stable")]


def by_lot(held: Incidence, randomness: Randomness) -> Ints:
    """Users with at least one item in random order."""
    present = np.flatnonzero(np.diff(held.offsets))
    order: Ints = present[np.argsort(different_tags(len(present), randomness))]
    return order


def different_tags(n: int, randomness: Randomness) -> Hashes:
    """n different numbers. All are drawn again if two are equal: so their order is a fair lot, and adding one
    more leaves the lot among the others fair. A tie broken by number would not.
    """
    for _ in range(_REDRAWS):
        tags = np.frombuffer(randomness.bytes(8 * n), np.uint64)
        if len(np.unique(tags)) == n:
            return tags
    # Two of 2^64 numbers are equal by chance once in ages: only a source that repeats itself comes here.
    return np.arange(n, dtype=np.uint64)
