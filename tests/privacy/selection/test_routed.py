"""The private switch: only users with items count, coins are fresh, every route stays within the promise."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.plan.selections import KeySelection
from crowdlog.privacy.accounting import GaussianStep, PromisedStep, TailStep
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection import routed
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.routed import (
    SPREAD,
    Looks,
    Routed,
    enough_for_all,
    look,
    look_noises,
    looks,
    short_route,
)
from tests.privacy.selection.small import make

SHARED = [[0, 1], [1], [0]] * 1000
ONE_OFF = [[k, 6000 + k] for k in range(3000)]
LONG = [list(range(k, k + 9)) for k in range(3000)]


class Fixed:
    """Noise of this size, always."""

    scale = 0.0

    def __init__(self, answer=0):
        self.answer = answer

    def draw(self, n, _randomness):
        return np.full(n, self.answer)


LEFT = Looks(0.1, 0.05, 12, (1.0, 1e-5), (1.0, 1e-5))
HUGE = 10**9


def answered(monkeypatch, incidence: Incidence, *answers: int) -> str:
    """The route where the looks' noises are these."""
    monkeypatch.setattr(routed, "look_noises", lambda *_rest: tuple(map(Fixed, answers)))
    return look(incidence, LEFT, SeededRandomness(1))


def seen_numbers(monkeypatch, incidence: Incidence) -> list[int]:
    """The numbers that noise is added to: of what is wanting, of sizes."""
    found = []
    for before, after, stays in [((), (0,), "shared"), ((-HUGE,), (), "short")]:
        low, high = -HUGE, HUGE
        while high - low > 1:  # the noise at which the answer turns is minus the number
            middle = (low + high) // 2
            turned = answered(monkeypatch, incidence, *before, middle, *after) == stays
            low, high = (low, middle) if turned else (middle, high)
        found.append(-low)
    return found


@pytest.mark.parametrize(
    ("sets", "route"), [(SHARED, "shared"), (ONE_OFF, "short"), (LONG, "long"), ([], "long")]
)
def test_each_kind_of_log_takes_its_route(sets, route, monkeypatch) -> None:
    assert answered(monkeypatch, make(sets, 12_000), 0, 0) == route


def test_long_histories_of_few_different_items_need_one_unit_each(monkeypatch) -> None:
    """Nine items each, all of the same twenty: sizes would say long."""
    log = make([[(k + step) % 20 for step in range(9)] for k in range(3000)], 20)
    assert answered(monkeypatch, log, 0, 0) == "shared"
    assert answered(monkeypatch, log, -HUGE, 0) == "long"


def test_long_histories_with_a_few_items_that_all_hold_go_the_long_way(monkeypatch) -> None:
    """Where users hold much more than those, rounds name more than one unit each."""
    log = make([[*range(10), *range(10 + k, 40 + k)] for k in range(3000)], 4000)
    assert answered(monkeypatch, log, 0, 0) == "long"


def test_of_an_item_counts_what_half_of_those_who_release_it_could_give() -> None:
    """24 people with one item of their own, or all with the same: 12 units release it half of the time."""
    assert enough_for_all(make([[k] for k in range(24)], 24), 12) == 24 * (11 - SPREAD)
    assert enough_for_all(make([[0]] * 24, 1), 12) == 24 * 11 - 6 * SPREAD
    assert enough_for_all(make([[0]] * 24, 1), 13) == 24 * 11 - 6.5 * SPREAD


@pytest.mark.parametrize("held", [1, 3, 4, 16, 17, 40, 4096, 4097])
def test_users_of_every_size_move_what_is_wanting_within_bounds(held: int) -> None:
    """Alone with her items and on items that others fill, up to the ends of what one user may do."""
    full = [[item] for item in range(held)] * 60 if held < 50 else [[0]]
    before = enough_for_all(make(full, 5000), 12)
    for own in (list(range(held)), list(range(5000 - held, 5000))):
        moved = enough_for_all(make([*full, own], 5000), 12) - before
        assert 4 - SPREAD <= moved <= 11


def test_a_user_number_that_nobody_has_does_not_count(monkeypatch) -> None:
    """A new user whose number lies beyond a gap of 50,000 moves each number by no more than one user may."""
    base = make([[0], [1], [0, 1]], 3)
    gap = Incidence(
        np.concatenate([base.offsets, np.full(50_000, 4), [5]]), np.append(base.items, np.int32(2)), 3
    )
    before, after = (seen_numbers(monkeypatch, log) for log in (base, gap))
    assert after[0] - before[0] == 11 - SPREAD
    assert after[1] - before[1] == 1


@pytest.mark.parametrize("new", [[0], [2], [0, 1, 2, 3], [5, 6, 7, 8, 9], list(range(10, 40))])
def test_one_user_moves_each_number_by_at_most_the_sensitivity_of_its_noise(new, monkeypatch) -> None:
    base = [[0], [1], [2], [0], [1]]
    before, after = (seen_numbers(monkeypatch, make(sets, 40)) for sets in (base, [*base, new]))
    monkeypatch.undo()
    noises, own = look_noises(LEFT.shared, LEFT.short), (LEFT.shared, LEFT.short)
    for old, now, noise, epsilon in zip(before, after, noises, own, strict=True):
        assert Fraction(abs(now - old)) / Fraction(noise.scale) <= Fraction(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1.0, 1e-5), (math.log(10), 1e-8), (0.05, 1e-6), (1.0, 1e-28)]
)
def test_looks_and_routes_add_up_to_less_than_the_promise(epsilon: float, delta: float) -> None:
    """Also where δ is so small that the sampler's distance is more than what rounding leaves free."""
    left = looks(epsilon, delta)
    first, second = Fraction(left.shared), Fraction(left.short)
    eta = max(Fraction(noise.statistical_distance) for noise in look_noises(left.shared, left.short))
    distance = eta * (1 + Fraction(float(mpmath.exp(left.shared))))
    assert first + Fraction(left.after_one[0]) <= Fraction(epsilon)
    assert first + second + Fraction(left.after_both[0]) <= Fraction(epsilon)
    assert Fraction(left.after_one[1]) + distance <= Fraction(delta)
    assert Fraction(left.after_both[1]) + 2 * distance <= Fraction(delta)
    budget = short_route("short").budget(*left.after_both)
    assert Fraction(budget.scouting) == pytest.approx(0.2 * left.after_both[0], rel=1e-9)
    assert first + second + Fraction(budget.scouting) + Fraction(budget.epsilon) <= Fraction(epsilon)


@pytest.mark.parametrize(("epsilon", "delta"), [(100.0, 1e-25), (1.1e-4, 1e-6)])
def test_what_one_route_cannot_keep_is_refused_before_the_look(epsilon: float, delta: float) -> None:
    """The look comes after the charge: were only the long route tried before it, a log that goes the short
    way would be charged for an error.
    """
    with pytest.raises(InputError):
        short_route("short").promise(*looks(epsilon, delta).after_both)
    with pytest.raises(InputError):
        Routed().promise(epsilon, delta)


@pytest.mark.parametrize("route", ["auto", "short", "shared"])
def test_a_route_that_may_be_short_is_charged_as_its_promise(route: str) -> None:
    steps = KeySelection(Routed(route=route), 1.0, 1e-5).accounting()
    assert steps == (PromisedStep(1.0, 1e-5),)


def test_only_the_fixed_long_route_is_charged_as_gaussian() -> None:
    gaussian, tail = KeySelection(Routed(route="long"), 1.0, 1e-5).accounting()
    assert isinstance(gaussian, GaussianStep)
    assert isinstance(tail, TailStep)


@pytest.mark.parametrize(("sets", "route"), [(SHARED, "shared"), (ONE_OFF, "short"), (LONG, "long")])
def test_auto_runs_the_route_that_it_saw(sets, route, monkeypatch) -> None:
    taken = []
    monkeypatch.setattr(
        routed.ScoutedGreedy, "select", lambda self, *given: taken.append((self.scout, given[1]))
    )
    monkeypatch.setattr(
        routed.AdaptiveGaussian, "select", lambda _self, *given: taken.append(("long", given[1]))
    )
    Routed().select(make(sets, 12_000), 4.0, 1e-5, SeededRandomness(2))
    left = looks(4.0, 1e-5)
    assert taken == [
        {
            "shared": (0.0, left.after_one[0]),
            "short": (0.2, left.after_both[0]),
            "long": ("long", left.after_both[0]),
        }[route]
    ]
