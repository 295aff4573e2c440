import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.number_format import decimal, number, percent, rounded_down, rounded_up


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (12_345, "12,345"),
        (0.068343, "0.06834"),
        (26.79, "26.79"),
        (1730.811, "1,730.81"),
        (1e-12, "1e-12"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        ("ln 2", "ln 2"),
    ],
)
def test_numbers_as_they_are_read(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.75, "75.00%"), (1, "100.00%"), (2e-5, "0.002%"), (1e-4, "0.01%"), (None, "–")],
)
def test_a_small_share_is_never_shown_as_none(share, text):
    assert percent(share) == text


def test_scores_stand_below_each_other():
    assert [decimal(0.5), decimal(0.12345), decimal(None)] == ["0.5000", "0.1235", "–"]


@given(st.floats(1e-12, 1e9))
def test_a_promise_is_never_shown_smaller_than_it_is(value):
    """Beyond the twelfth digit, which a float does not hold, and never more than the fourth digit larger."""
    shown = float(rounded_up(value))
    assert value * (1 - 1e-11) <= shown <= value * 1.0011


@given(st.floats(1e-12, 1e9))
def test_what_is_left_is_never_shown_larger_than_it_is(value):
    shown = float(rounded_down(value))
    assert value * 0.9989 <= shown <= value * (1 + 1e-11)


def test_no_promise_is_infinite():
    assert rounded_up(math.inf) == "∞"
