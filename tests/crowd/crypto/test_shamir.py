"""k shares give the secret, fewer fit every secret, and errors are corrected."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.crypto.group import ORDER
from crowdlog.crowd.crypto.shamir import decode, interpolate, inverses, secret, value

POLYNOMIALS = st.lists(st.integers(0, ORDER - 1), min_size=1, max_size=8)


@given(POLYNOMIALS, st.sets(st.integers(1, ORDER - 1), min_size=8, max_size=12))
def test_as_many_shares_as_coefficients_give_the_secret(polynomial: list[int], points: set[int]) -> None:
    shares = [(x, value(polynomial, x)) for x in points]
    assert secret(shares[: len(polynomial)]) == secret(shares) == polynomial[0]
    through = interpolate(shares[: len(polynomial)])
    assert through[: len(polynomial)] == polynomial
    assert not any(through[len(polynomial) :])


def test_fewer_shares_fit_every_secret() -> None:
    """k − 1 shares and any guess at the secret lie on one polynomial of the right degree:
    they tell nothing.
    """
    polynomial = [11, 22, 33, 44, 55]
    shares = [(x, value(polynomial, x)) for x in (3, 5, 7, 9)]
    for guess in (0, 11, ORDER - 1):
        fitted = interpolate([(0, guess), *shares])
        assert value(fitted, 0) == guess
        assert all(value(fitted, x) == y for x, y in shares)


@pytest.mark.parametrize(
    ("n", "k", "wrong"), [(7, 5, 1), (5, 5, 0), (23, 5, 9), (40, 10, 15), (308, 100, 104), (6, 1, 2)]
)
def test_errors_up_to_half_the_surplus_are_corrected(n: int, k: int, wrong: int) -> None:
    rng = random.Random(n)
    polynomial = [rng.randrange(1, ORDER) for _ in range(k)]
    shares = [(x, value(polynomial, x)) for x in rng.sample(range(1, 10**9), n)]
    for index in rng.sample(range(n), wrong):
        shares[index] = (shares[index][0], rng.randrange(ORDER))
    corrected = decode(shares, k)
    assert corrected is not None
    assert corrected[:k] == polynomial
    assert not any(corrected[k:])


def test_too_many_errors_give_nothing() -> None:
    rng = random.Random(1)
    assert decode([(x, rng.randrange(ORDER)) for x in range(1, 20)], 5) is None


def test_the_zero_polynomial_is_decoded() -> None:
    assert not any(decode([(x, 0) for x in range(1, 9)], 5) or [1])


@given(st.lists(st.integers(1, ORDER - 1), max_size=6))
def test_inverses(values: list[int]) -> None:
    assert all(item * inverse % ORDER == 1 for item, inverse in zip(values, inverses(values), strict=True))
