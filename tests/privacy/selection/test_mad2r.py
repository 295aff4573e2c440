"""MAD2R: one user moves all weights together by a length of at most 1, whoever the others are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.privacy.gaussian import largest_of
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.mad2r import (
    LEAST_BIAS,
    MAD2R,
    MOST_LIFT,
    SENSITIVITY,
    UNIT,
    WHOLE,
    biases,
    largest_discount,
)
from crowdlog.types import Floats, Ints
from tests.privacy.selection import reference
from tests.privacy.selection.small import make

ITEMS, ADAPTIVE = 12, 50
SET = st.lists(st.integers(0, ITEMS - 1), unique=True, max_size=ITEMS)
BIAS = st.lists(st.integers(int(LEAST_BIAS * WHOLE), WHOLE), min_size=ITEMS, max_size=ITEMS)


def weights(
    sets: list[list[int]], bias: Ints, target: float, discount: float, lift: float = MOST_LIFT
) -> Floats:
    log = make(sets, len(bias))
    found = kernels.reroute(
        log.offsets, log.items, bias, UNIT, WHOLE, lift, ADAPTIVE, int(target * UNIT), discount
    )
    return np.asarray(found / UNIT)


def moved(others: list[list[int]], joins: list[int], bias: Ints, target: float, discount: float) -> float:
    """The length by which one more user moves the weights."""
    before, after = (weights(sets, bias, target, discount) for sets in (others, [*others, joins]))
    return float(np.linalg.norm(after - before))


def through_one(d: int, target: float) -> list[list[int]]:
    """Everything that d full items give back goes to themselves and to one more."""
    return [[item, d] for item in range(d) for _ in range(math.ceil(2 * target) + 1)]


@settings(max_examples=300)
@given(st.lists(SET, max_size=12), SET, BIAS, st.floats(0.05, 3.0))
def test_one_user_moves_weights_by_at_most_one(others, joins, bias, target):
    discount = largest_discount(ADAPTIVE, LEAST_BIAS, MOST_LIFT)
    assert moved(others, joins, np.array(bias), target, discount) <= SENSITIVITY


@pytest.mark.parametrize("d", [1, 2, 3, 5, 10, 25, 50])
def test_what_comes_back_may_meet_in_one_item(d):
    """And would move more than the whole user if all of it were given again."""
    bias = np.full(d + 1, WHOLE)
    others, joins = through_one(d, 2.0), list(range(d))
    assert moved(others, joins, bias, 2.0, largest_discount(ADAPTIVE, 1.0, 1.0)) <= 1 + 1e-5
    if d == 50:
        assert moved(others, joins, bias, 2.0, 1.0) > SENSITIVITY


def test_a_user_whose_items_nobody_else_has_gives_no_more_than_the_threshold_foresees():
    rng = np.random.default_rng(3)
    discount = largest_discount(ADAPTIVE, LEAST_BIAS, MOST_LIFT)
    for _ in range(200):
        d = int(rng.integers(1, 100))
        bias = rng.integers(int(LEAST_BIAS * WHOLE), WHOLE + 1, d + 1)
        shared = [[d]] * 40  # the last of her items is full
        found = weights([*shared, list(range(d + 1))], bias, 1.0, discount)[:d]
        assert found.max() <= min(1.0, MOST_LIFT / math.sqrt(d + 1)) + discount / (d + 1)


@given(st.lists(SET, max_size=10), BIAS, st.floats(0.05, 3.0))
def test_weights_are_those_of_the_definition(sets, bias, target):
    discount = largest_discount(ADAPTIVE, LEAST_BIAS, MOST_LIFT)
    known = {item: number / WHOLE for item, number in enumerate(bias)}
    expected = reference.mad_weights(
        [np.array(own, np.int64) for own in sets if own], known, target, ADAPTIVE, discount, MOST_LIFT
    )
    found = weights(sets, np.array(bias), target, discount)
    assert found == pytest.approx([expected.get(item, 0.0) for item in range(ITEMS)], abs=1e-4)


def test_items_far_above_take_less_in_the_second_round():
    found = biases(np.array([-3.0, 10.0, 12.0, 16.0, 400.0]), sigma=2.0, threshold=10.0)
    assert found.tolist() == [WHOLE, WHOLE, WHOLE, int(WHOLE * 10 / 14), WHOLE // 2]


def test_both_thresholds_keep_what_one_user_alone_has():
    """A key of d that one user alone has passes by noise with at most the round's tail, at its largest
    weight.
    """
    for tight in (True, False):
        method = MAD2R(tight=tight)
        for one, tail, lift in zip(method.rounds(1.0, 1e-6), (5e-8, 4.5e-7), (1.0, MOST_LIFT), strict=True):
            for d in range(1, 101):
                largest = min(1.0, lift / math.sqrt(d)) + one.discount / d
                assert largest_of((one.threshold - largest) / one.sigma, d) <= tail


@pytest.mark.parametrize("tight", [True, False])
def test_each_round_gives_again_no_more_than_the_proof_allows(tight):
    method = MAD2R(tight=tight)
    first, second = method.rounds(1.0, 1e-5)
    assert first.discount <= largest_discount(method.adaptive, 1.0, 1.0)
    assert second.discount <= largest_discount(method.adaptive, LEAST_BIAS, MOST_LIFT)
