"""Routed: rounds of Gaussian noise for long histories, one unit per user for short ones, and a private look
at the log that says which.

Proof: proofs/selection-routed.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from crowdlog.privacy.gaussian import check_epsilon_delta
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.adaptive_gaussian import OWN_D0, AdaptiveGaussian
from crowdlog.privacy.selection.base import Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.scouted_greedy import SCOUTING, ScoutedGreedy

Route = Literal["short", "shared", "long"]
ROUTES = ("auto", "short", "shared", "long")

LOOK_SHARED, LOOK_SHORT = 0.003, 0.0015  # of ε, for each look at the log
FEW, SOME = 3, 16  # items of a short and of a middle history
# One unit per user is enough where little of what users hold is wanting: each spreads 20 evenly over her
# items, and of an item counts what half of the people with whom it is released could give. Below so many
# per user with few, some, and many items it is shared. (One user with many items helps more on the long
# route, so more must be shared there.)
SPREAD = 20
SHARED_BELOW = (11, 7, 4)


@dataclass(frozen=True)
class Looks:
    """What the looks leave: their own ε, and (ε, δ) of a route that is taken after one look or after both.

    `units`: with so many an item is released half of the time, about.
    """

    shared: float
    short: float
    units: int
    after_one: tuple[float, float]
    after_both: tuple[float, float]


@dataclass(frozen=True)
class Routed:
    """`route`: auto looks at the log; a public fact about it may say long, short (one session or one day,
    much of it asked once) or shared (short, and most of it asked by many: site search).
    """

    noise_share: ClassVar[None] = None

    items_per_user: int = OWN_D0  # on the long route
    route: str = "auto"

    @property
    def long(self) -> AdaptiveGaussian:
        return AdaptiveGaussian(self.items_per_user)

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        found = self._where(epsilon, delta)
        parameters = {f"{name}{self.where}": value for name, value in found.parameters.items()}
        return SelectionPromise(approximate(epsilon, delta), found.bar, found.sd, parameters)

    @property
    def where(self) -> str:
        """Of which route the numbers of the promise are, where they may be another's in the end."""
        return " on the long route" if self.route == "auto" else ""

    def _where(self, epsilon: float, delta: float) -> SelectionPromise:
        """The promise of the route; where it is looked up, of the long one, which demands most of a key. None
        may fail after the look, which is after the charge: so all are asked.
        """
        if self.route == "auto":
            left = looks(epsilon, delta)
            short_route("shared").promise(*left.after_one)
            short_route("short").promise(*left.after_both)
            return self.long.promise(*left.after_both)
        if self.route == "long":
            return self.long.promise(epsilon, delta)
        return short_route(self.route).promise(epsilon, delta)

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        if self.route == "long":
            return self.long.select(incidence, epsilon, delta, randomness)
        if self.route != "auto":
            return short_route(self.route).select(incidence, epsilon, delta, randomness)
        left = looks(epsilon, delta)
        found = look(incidence, left, randomness)
        if found == "shared":
            return short_route(found).select(incidence, *left.after_one, randomness)
        route = self.long if found == "long" else short_route(found)
        return route.select(incidence, *left.after_both, randomness)


def short_route(route: str) -> ScoutedGreedy:
    return ScoutedGreedy(0.2 if route == "short" else 0.0)


def looks(epsilon: float, delta: float) -> Looks:
    """Each look costs its ε, and the sampler's distance from ideal noise, too."""
    check_epsilon_delta(epsilon, delta)
    shared, short = (share * epsilon * ROOM_BELOW for share in (LOOK_SHARED, LOOK_SHORT))
    units = int(short_route("shared").promise((1 - LOOK_SHARED) * epsilon, delta).bar)
    eta = max(noise.statistical_distance for noise in look_noises(shared, short))
    distance = eta * (1 + math.exp(shared)) * (1 + 1e-9)
    return Looks(
        shared,
        short,
        units,
        ((epsilon - shared) * ROOM_BELOW, (delta - distance) * ROOM_BELOW),
        ((epsilon - shared - short) * ROOM_BELOW, (delta - 2 * distance) * ROOM_BELOW),
    )


def look_noises(shared: float, short: float) -> tuple[DiscreteLaplace, DiscreteLaplace]:
    """For what is wanting of what users hold, and for the number of short histories."""
    most = SPREAD - min(SHARED_BELOW)  # a user adds between −16 and 11
    return DiscreteLaplace(most / shared / ROOM_BELOW), DiscreteLaplace(1 / short / ROOM_BELOW)


def look(incidence: Incidence, left: Looks, randomness: Randomness) -> Route:
    """Which route, from one or two noisy numbers. Only users with an item count: a user number that nobody
    has must not.
    """
    by_spread, by_sizes = look_noises(left.shared, left.short)
    if enough_for_all(incidence, left.units) + int(by_spread.draw(1, randomness)[0]) > 0:
        return "shared"
    few, some, many = sizes(incidence)
    return "short" if few - some - many + int(by_sizes.draw(1, randomness)[0]) > 0 else "long"


def enough_for_all(incidence: Incidence, units: int) -> int:
    """Above 0 where one unit per user is enough; a user moves it by −16 to 11, also after rounding down."""
    from crowdlog.privacy.selection import kernels

    spread = kernels.spread_evenly(incidence.offsets, incidence.items, incidence.size, SCOUTING)
    counted = int(np.minimum(spread, SCOUTING * units // 2).sum())
    below = sum(each * people for each, people in zip(SHARED_BELOW, sizes(incidence), strict=True))
    return (SCOUTING * below - SPREAD * counted) // SCOUTING


def sizes(incidence: Incidence) -> tuple[int, int, int]:
    """How many users hold few, some, and many items."""
    held = np.diff(incidence.offsets)
    few, some, everybody = (int(np.sum((held > 0) & (held <= most))) for most in (FEW, SOME, np.inf))
    return few, some - few, everybody - some
