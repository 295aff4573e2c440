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
from crowdlog.privacy.keyed import within
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.adaptive_gaussian import OWN_D0, AdaptiveGaussian
from crowdlog.privacy.selection.base import Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.scouted_greedy import ScoutedGreedy

Route = Literal["short", "shared", "long"]
ROUTES = ("auto", "short", "shared", "long")

LOOK = 0.002  # of ε, for each of three looks at the log
# One unit per user is enough for everything that users pick where there are as many users for each different
# pick as a release takes; by so many scales of the look's noise, so that small logs are not taken for such.
ROOM_MARGIN = 1
FEW = 3  # items of a short history
# 9 for each user with few items, −11 for each other one: above 0 where more than 55 % have few.
FOR_SHORT, FOR_LONG = 9, 11
# 5 for each different item that users pick by lot, −2 for each user: above 0 where more than 40 % of picks
# differ, that is where most of what users hold nobody else does.
FOR_DIFFERENT, FOR_USER = 5, 2


@dataclass(frozen=True)
class Looks:
    """What the looks leave: their own ε each, and (ε, δ) of the long and of the short routes.

    `units`: with so many an item is released half of the time, about.
    """

    each: float
    units: int
    long: tuple[float, float]
    short: tuple[float, float]


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
        parameters = {"items_per_user": self.items_per_user, **found.parameters}
        return SelectionPromise(approximate(epsilon, delta), found.bar, found.sd, parameters)

    def _where(self, epsilon: float, delta: float) -> SelectionPromise:
        """The promise of the route; where it is looked up, of the long one, which demands most of a key."""
        if self.route == "auto":
            return self.long.promise(*looks(epsilon, delta).long)
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
        if found == "long":
            return self.long.select(incidence, *left.long, randomness)
        return short_route(found).select(incidence, *left.short, randomness)


def short_route(route: str) -> ScoutedGreedy:
    return ScoutedGreedy(0.2 if route == "short" else 0.0)


def looks(epsilon: float, delta: float) -> Looks:
    """Three looks of the same ε; each costs the sampler's distance from ideal noise, too."""
    check_epsilon_delta(epsilon, delta)
    each = LOOK * epsilon * ROOM_BELOW
    units = max(2, int(short_route("shared").promise((1 - 3 * LOOK) * epsilon, delta).bar))
    eta = max(noise.statistical_distance for noise in look_noises(each, units))
    distance = eta * (1 + math.exp(each)) * (1 + 1e-9)
    return Looks(
        each,
        units,
        ((epsilon - 2 * each) * ROOM_BELOW, (delta - 2 * distance) * ROOM_BELOW),
        ((epsilon - 3 * each) * ROOM_BELOW, (delta - 3 * distance) * ROOM_BELOW),
    )


def look_noises(each: float, units: int) -> tuple[DiscreteLaplace, DiscreteLaplace, DiscreteLaplace]:
    """For the room that users leave, the number of short histories, and the number of different picks."""
    largest = FOR_DIFFERENT - FOR_USER  # a user adds −2, or 5 − 2
    return (
        DiscreteLaplace((units - 1) / each / ROOM_BELOW),  # she adds 1, or 1 − units
        DiscreteLaplace(FOR_LONG / each / ROOM_BELOW),
        DiscreteLaplace(largest / each / ROOM_BELOW),
    )


def look(incidence: Incidence, left: Looks, randomness: Randomness) -> Route:
    """Which route, from up to three noisy numbers. Only users with an item count: a user number that nobody
    has must not.
    """
    by_room, by_sizes, by_picks = look_noises(left.each, left.units)
    sizes = np.diff(incidence.offsets)
    few, many = int(np.sum((sizes >= 1) & (sizes <= FEW))), int(np.sum(sizes > FEW))
    picks = incidence.bounded(1, within(randomness, "picks"))  # fresh coins, used for the looks alone
    different = len(np.unique(picks.items))
    room = few + many - left.units * different + int(by_room.draw(1, randomness)[0])
    if room > ROOM_MARGIN * by_room.scale:
        return "shared"
    if FOR_SHORT * few - FOR_LONG * many + int(by_sizes.draw(1, randomness)[0]) <= 0:
        return "long"
    above = FOR_DIFFERENT * different - FOR_USER * (few + many) + int(by_picks.draw(1, randomness)[0])
    return "short" if above > 0 else "shared"
