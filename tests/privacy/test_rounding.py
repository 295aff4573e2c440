"""Rounding goes the way it says."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.privacy.rounding import as_fraction, bound_above, round_up, sum_up

POSITIVE = st.fractions(min_value=Fraction(1, 10**30), max_value=10**30)


@given(POSITIVE)
def test_round_up_gives_the_next_float(number: Fraction) -> None:
    rounded = round_up(number)
    assert Fraction(rounded) >= number
    assert Fraction(math.nextafter(rounded, -math.inf)) < number


@given(st.lists(st.floats(0, 1e9), max_size=20))
def test_sums_are_not_below_the_exact_sum(numbers: list[float]) -> None:
    exact = sum(map(Fraction, numbers), Fraction(0))
    assert Fraction(sum_up(numbers)) >= exact
    assert sum_up(numbers) == round_up(exact)


def test_infinity_stays() -> None:
    assert round_up(math.inf) == math.inf
    assert sum_up([1.0, math.inf]) == math.inf


def test_mpmath_numbers_are_taken_exactly() -> None:
    with mpmath.workprec(300):
        third = mpmath.mpf(-1) / 3
        assert mpmath.mpf(as_fraction(third).numerator) / as_fraction(third).denominator == third
    assert as_fraction(mpmath.mpf(0)) == 0
    for infinite in (mpmath.inf, math.inf):
        with pytest.raises(OverflowError):
            as_fraction(infinite)


def test_a_bound_leaves_room_for_the_error_of_the_computation() -> None:
    assert bound_above(Fraction(1)) == math.nextafter(1.0, 2.0)
    assert bound_above(mpmath.mpf(0)) == 0.0


def test_a_number_below_all_floats_is_bounded_by_the_smallest_at_once() -> None:
    with mpmath.workprec(300):
        for number in (mpmath.ldexp(1, -1101), mpmath.ldexp(1, -(10**15))):
            assert bound_above(number) == math.ulp(0.0)
