"""What one person comes back to: her portals and favourites, and what she found before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crowdlog.log.synth.arrays import F64, I64, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.needs import OTHER_SITE, need_of
from crowdlog.log.synth.population import Population
from crowdlog.log.synth.rng import below, power_rank, uniform
from crowdlog.log.synth.world import World

MOST_FAVOURITES = 4
KEPT = 12  # how many things found again she remembers
# Half of the searches open a session: the shares are means of the two.
_AT_FIRST, _LATER = 0.66, 2.0
_TYPICAL = 34.0  # searches per person (spec 0: mean 33.65)


class Habits(NamedTuple):
    """Filled anew for every person. A need of -1 is none."""

    need: I64  # of each favourite, the first portal first
    share: F64  # of her searches that go to each, rising
    found: I64  # places in her history of what she found again
    founds: I64  # how many of them


def new_habits() -> Habits:
    """Room for one person's."""
    return Habits(
        np.zeros(MOST_FAVOURITES, np.int64),
        np.zeros(MOST_FAVOURITES, np.float64),
        np.zeros(KEPT, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def any_portal(w: World, state: U64, among: int, exponent: float) -> int:
    """The need of a well-known site, the most visited more often."""
    return int(w.ints[w.portal + power_rank(state, min(among, w.portals), exponent)])


@kernel
def _other_favourite(w: World, p: Population, state: U64, topic: int) -> int:
    if uniform(state) < p.own_favourite:
        return need_of(w, p, state, OTHER_SITE, topic)
    return any_portal(w, state, p.other_portals, p.other_exponent)


@kernel
def draw_habits(w: World, p: Population, state: U64, habits: Habits, searches: int, topic: int) -> None:
    """Choose her favourites and how much she uses each."""
    total = 0.0
    habits.need[0] = -1
    if uniform(state) < p.first_portal:
        habits.need[0] = any_portal(w, state, p.first_portals, p.first_exponent)
        usual = max(p.first_share - p.first_fades * np.log(searches / _TYPICAL), 0.02)
        # a few live by it, most use it now and then: 3u² has the mean 1
        total = min(3.0 * usual * uniform(state) ** 2, 0.9)
    habits.share[0] = total
    others = 1 + below(state, MOST_FAVOURITES - 1)
    used = 3.0 * p.other_share * uniform(state) ** 2
    for i in range(1, MOST_FAVOURITES):
        habits.need[i] = -1
        if i <= others:
            habits.need[i] = _other_favourite(w, p, state, topic)
            total += used / others
        habits.share[i] = total
    habits.founds[0] = 0


@kernel
def favourite(state: U64, habits: Habits, opens: bool) -> int:
    """The need of the favourite she turns to now, or -1: most often when a session begins."""
    u = uniform(state) * (_AT_FIRST if opens else _LATER)
    for i in range(MOST_FAVOURITES):
        if u < habits.share[i]:
            return int(habits.need[i])
    return -1


@kernel
def found_again(p: Population, state: U64, habits: Habits, searches: int) -> int:
    """Which of her earlier searches she repeats: mostly one she repeated before."""
    known = min(habits.founds[0], KEPT)
    if known and uniform(state) < p.refind_again:
        return int(habits.found[below(state, known)])
    # the recent past more often
    place = searches - 1 - int(uniform(state) ** 2 * searches)
    habits.found[habits.founds[0] % KEPT] = place
    habits.founds[0] += 1
    return place
