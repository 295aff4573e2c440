"""Scouted greedy: one user moves one item by one unit, every held item gets noise, lots are fair."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection import scouted_greedy as module
from crowdlog.privacy.selection.greedy_update import GreedyUpdate
from crowdlog.privacy.selection.scouted_greedy import (
    ENOUGH,
    SCOUTING,
    ScoutedGreedy,
    different_tags,
    enough,
    ranks,
    scouting_noise,
    user_order,
)
from crowdlog.privacy.selection.truncated_geometric import ONE
from tests.privacy.selection.small import make

SIZE = 5
SUBSETS = [list(s) for n in range(1, 4) for s in itertools.combinations(range(3), n)]


def units(sets, rank, most, size=SIZE):
    """What users in this order give."""
    held = make(sets, size)
    preference = np.array(rank, np.int64)[held.items]
    order = np.arange(held.users)
    return kernels.one_unit_each(held.offsets, held.items, size, preference, order, most)


def fullest(sets, size=SIZE, most=3):
    """The rule that must not be used: go to the fullest item that is still open."""
    found = np.zeros(size, np.int64)
    for items in sets:
        still_open = [i for i in items if found[i] < most]
        if still_open:
            found[max(still_open, key=lambda i: (found[i], i))] += 1
    return found


def test_in_every_small_world_one_user_moves_one_item_by_one_unit_or_none() -> None:
    """All logs of up to four users with sets of three items, any one of them removed, any order of items."""
    worlds = 0
    for people in range(1, 5):
        for sets in itertools.product(SUBSETS, repeat=people):
            for rank in ([0, 1, 2], [2, 0, 1]):
                for most in (1, 2):
                    whole = units(list(sets), rank, most, 3)
                    for gone in range(people):
                        moved = whole - units(
                            [s for n, s in enumerate(sets) if n != gone] or [[]], rank, most, 3
                        )
                        assert moved.min() >= 0
                        assert moved.sum() <= 1
                        worlds += 1
    assert worlds > 30_000


@given(
    st.lists(st.sets(st.integers(0, SIZE - 1), min_size=1).map(sorted), min_size=1, max_size=14),
    st.permutations(range(SIZE)),
    st.integers(1, 4),
    st.data(),
)
def test_one_user_moves_one_item_by_one_unit_or_none(sets, rank, most, data) -> None:
    gone = data.draw(st.integers(0, len(sets) - 1))
    moved = units(sets, rank, most) - units([s for n, s in enumerate(sets) if n != gone] or [[]], rank, most)
    assert moved.min() >= 0
    assert moved.sum() <= 1


def test_the_same_search_finds_that_going_to_the_fullest_moves_many() -> None:
    rng = np.random.default_rng(1)
    worst = 0
    for _ in range(400):
        sets = [sorted(set(rng.integers(0, SIZE, 2).tolist())) for _ in range(12)]
        worst = max(worst, int(np.abs(fullest(sets) - fullest(sets[1:])).sum()))
    assert worst > 1


class Spied:
    """Noise that is known: `step` times the place of each draw."""

    def __init__(self, step: int) -> None:
        self.step = step

    def draw(self, n, _randomness):
        return self.step * np.arange(n)


@pytest.mark.parametrize("up", [1, -1])
@pytest.mark.parametrize(
    ("sets", "size"), [([[0, 1], [0], [2]], 3), ([list(range(SCOUTING + 1))], SCOUTING + 1)]
)
def test_every_held_item_is_scouted_with_noise_whoever_holds_it(sets, size, up, monkeypatch) -> None:
    """A user whose only effect is that an item becomes held: the item gets noise like all others, also when
    she has so many items that she gives it nothing. The noise here is larger than all sums, so it decides.
    """
    monkeypatch.setattr(module, "scouting_noise", lambda _epsilon: Spied(up * 10 * SCOUTING))
    held, _ids = make(sets, size).held()
    assert ranks(held, 0.2, SeededRandomness(1)).tolist() == list(range(size))[::up]


def test_who_spreads_over_too_many_items_gives_none_of_them_anything() -> None:
    many = make([list(range(SCOUTING + 1))], SCOUTING + 1)
    assert kernels.spread_evenly(many.offsets, many.items, many.size, SCOUTING).sum() == 0


@pytest.mark.parametrize("scouting", [0.0, 0.2])
def test_equal_sums_are_ordered_by_lot_and_not_by_number(scouting, monkeypatch) -> None:
    """Numbers are given to all held items together: one more user may change them for others."""
    monkeypatch.setattr(module, "scouting_noise", lambda _epsilon: Spied(0))
    held, _ids = make([[0, 1, 2]], 3).held()
    found = {tuple(ranks(held, scouting, SeededRandomness(seed)).tolist()) for seed in range(100)}
    assert found == set(itertools.permutations(range(3)))


@given(st.integers(1, 5000))
def test_scouting_moves_the_sums_by_at_most_its_sensitivity(held: int) -> None:
    log = make([list(range(held))], held)
    assert kernels.spread_evenly(log.offsets, log.items, held, SCOUTING).sum() <= SCOUTING


@pytest.mark.parametrize("scout", [0.0, 0.2])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (math.log(10), 1e-8), (0.1, 1e-6), (1.0, 1e-28)])
def test_the_shares_add_up_to_less_than_the_promise(scout: float, epsilon: float, delta: float) -> None:
    method = ScoutedGreedy(scout)
    budget = method.budget(epsilon, delta)
    assert Fraction(budget.scouting) + Fraction(budget.epsilon) <= Fraction(epsilon)
    spent = Fraction(budget.delta)
    if scout:
        noise = scouting_noise(budget.scouting)
        assert SCOUTING / Fraction(noise.scale) <= Fraction(budget.scouting)
        eta = Fraction(noise.statistical_distance)
        spent += SCOUTING * eta * (1 + Fraction(float(mpmath.exp(budget.scouting))))
    assert spent <= Fraction(delta)


@pytest.mark.parametrize("scout", [0.0, 0.2])
def test_each_step_of_the_chances_keeps_the_promise_exactly(scout: float) -> None:
    """At the ε and δ that the decision really gets, both directions, at 600 bits."""
    method = ScoutedGreedy(scout)
    budget = method.budget(1.0, 1e-5)
    chances = [*method.chances(budget), ONE]
    with mpmath.workprec(600):
        grow = mpmath.exp(mpmath.mpf(budget.epsilon))
        slack = mpmath.mpf(budget.delta) * ONE
        for less, more in itertools.pairwise(chances):
            assert more <= grow * less + slack
            assert ONE - less <= grow * (ONE - more) + slack
            assert less <= more
    assert chances[0] == 0
    assert chances[enough(method.chances(budget))] >= ENOUGH * ONE


class Repeating(SeededRandomness):
    """Random numbers whose first draw of tags are all equal."""

    def __init__(self) -> None:
        super().__init__(3)
        self.first = True

    def bytes(self, n: int) -> bytes:
        if self.first and n:
            self.first = False
            return bytes(n)
        return super().bytes(n)


def test_equal_tags_are_drawn_again_for_everybody() -> None:
    tags = different_tags(50, Repeating())
    assert len(set(tags.tolist())) == 50
    assert len(different_tags(0, Repeating())) == 0


def test_the_lot_among_others_does_not_depend_on_one_more_user() -> None:
    """Users of equal size: each of the six orders of three is as frequent with a fourth as without."""
    for users in (3, 4):
        orders = {}
        for seed in range(3000):
            order = [u for u in user_order(make([[0]] * users, 1), SeededRandomness(seed)).tolist() if u < 3]
            orders[tuple(order)] = orders.get(tuple(order), 0) + 1
        assert len(orders) == 6
        assert max(abs(n - 500) for n in orders.values()) < 6 * math.sqrt(500)


def test_users_with_few_items_choose_first_and_users_without_any_do_not() -> None:
    held = make([[0, 1, 2], [], [3], [1, 4]], 5)
    assert user_order(held, SeededRandomness(1)).tolist() == [2, 3, 0]


def test_scouting_finds_what_others_hold() -> None:
    """Everybody has one item of a hundred people and nine that nobody else has."""
    users = 3000
    sets = [sorted({u % 30, *range(30 + 9 * u, 39 + 9 * u)}) for u in range(users)]
    log = make(sets, 30 + 9 * users)
    blind, scouted = (
        len(ScoutedGreedy(scout).select(log, 2.0, 1e-9, SeededRandomness(4)).items) for scout in (0.0, 0.5)
    )
    assert scouted == 30 > blind


@pytest.mark.parametrize("scout", [-0.1, 1.0])
def test_a_share_outside_of_its_range_is_refused(scout: float) -> None:
    with pytest.raises(InputError, match="share of ε for scouting"):
        ScoutedGreedy(scout)


def test_a_delta_below_what_tables_can_draw_is_refused() -> None:
    with pytest.raises(InputError, match="drawn from tables"):
        ScoutedGreedy().budget(200.0, 1e-30)


@pytest.mark.parametrize("method", [ScoutedGreedy(), ScoutedGreedy(0.0), GreedyUpdate()], ids=repr)
def test_a_user_of_shared_items_can_be_told_apart_no_better_than_promised(method) -> None:
    """Pairs of items that a few share, with and without one more user, at a δ that can be sampled."""
    epsilon, delta, runs = 1.0, 0.1, 2000
    shared = [[k, k + 1] for k in range(0, 2 * runs, 2)]
    crowd = shared * 4
    seen = [
        len(
            set((method.select(make(log, 2 * runs), epsilon, delta, SeededRandomness(5)).items // 2).tolist())
        )
        / runs
        for log in ([*crowd, *shared], crowd)
    ]
    slack = 6 * math.sqrt(0.25 / runs) * (1 + math.e)
    assert seen[0] <= math.exp(epsilon) * seen[1] + delta + slack
    assert 1 - seen[1] <= math.exp(epsilon) * (1 - seen[0]) + delta + slack
