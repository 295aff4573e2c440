from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.semantic.theta import Theta, is_affine
from crowdlog.errors import InputError

masses = st.integers(1, 2**49 - 1)


@pytest.mark.parametrize("value", [0, -0.1, 1.01, float("nan"), float("inf"), "much"])
def test_outside_is_refused_in_one_sentence(value):
    with pytest.raises(InputError, match=r"^The 'theta' parameter must be above 0 and at most 1\. Got "):
        Theta.of(value)


def test_too_fine_is_refused():
    with pytest.raises(InputError, match="four decimals"):
        Theta.of(0.90001)


def test_decimals_mean_what_they_say():
    assert Theta.of(0.9) == Theta(9, 10)
    assert Theta.of(1).is_one


@given(st.data(), masses, masses, st.integers(1, 10_000))
def test_decision_is_exact_next_to_the_threshold(data, p, q, num):
    """The overlaps that just reach Θ·√(pq) and just miss it,
    for numbers where floats cannot tell them apart.
    """
    overlap = int(Fraction(num, 10_000) * int((p * q) ** 0.5)) + data.draw(st.integers(-2, 2))
    overlap = min(max(overlap, 0), 2**49 - 1)
    assert is_affine(overlap, p, q, num, 10_000) == (overlap**2 * 10_000**2 >= num**2 * p * q)


def test_equality_counts():
    assert is_affine(9 * 2**44, 10 * 2**44, 10 * 2**44, 9, 10)
    assert not is_affine(9 * 2**44 - 1, 10 * 2**44, 10 * 2**44, 9, 10)
