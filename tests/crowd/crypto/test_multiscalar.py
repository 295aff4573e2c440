"""Sums of many points agree with libsodium's, and what is no point is refused as libsodium refuses it."""

import numpy as np
import pytest
import rbcl
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from crowdlog.crowd.crypto import field25519 as field
from crowdlog.crowd.crypto import multiscalar
from crowdlog.crowd.crypto.field25519 import P
from crowdlog.crowd.crypto.group import BASE, ORDER, SIZE, add, hash_to_group, multiply, random_scalar
from crowdlog.crowd.crypto.multiscalar import sums_to_identity
from crowdlog.privacy.randomness import SeededRandomness


def some(n: int, seed: int = 1) -> tuple[list[int], list[bytes]]:
    randomness = SeededRandomness(seed)
    points = [hash_to_group(b"%d %d" % (seed, number), b"test") for number in range(n)]
    return [random_scalar(randomness) for _ in range(n)], points


@pytest.mark.parametrize("n", [1, 2, 3, 70, 320, 1200])
def test_a_sum_minus_itself_is_the_identity(n):
    scalars, points = some(n)
    total = add(*map(multiply, scalars, points))
    assert sums_to_identity([*scalars, ORDER - 1], b"".join([*points, total])) is True
    assert sums_to_identity([*scalars, ORDER - 2], b"".join([*points, total])) is False
    assert sums_to_identity([scalars[0] ^ 1, *scalars[1:], ORDER - 1], b"".join([*points, total])) is False


@pytest.mark.parametrize("window", range(4, 12))
def test_every_window_gives_the_same(window, monkeypatch):
    monkeypatch.setattr(multiscalar, "_WINDOW_OF", ((10**6, window),))
    scalars, points = some(20, seed=window)
    total = add(*map(multiply, scalars, points))
    assert sums_to_identity([*scalars, ORDER - 1], b"".join([*points, total])) is True
    assert sums_to_identity([*scalars, 1], b"".join([*points, total])) is False


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([0, 1, 2, 2**127, 2**128 - 1, 2**252, ORDER - 1, ORDER - 2]), st.integers(1, 2**40))
def test_scalars_at_the_edges(scalar, seed):
    _scalars, (point,) = some(1, seed)
    if scalar == 0:
        assert sums_to_identity([0], point) is True
        return
    assert sums_to_identity([scalar, ORDER - 1], point + multiply(scalar, point)) is True


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=SIZE, max_size=SIZE))
def test_bytes_are_a_point_here_when_they_are_one_there(data):
    # libsodium ignores the highest bit (see group.py)
    known = any(data) and data[-1] < 0x80 and bool(rbcl.crypto_core_ristretto255_is_valid_point(data))
    assert (sums_to_identity([1], data) is None) == (not known)


# RFC 9496 appendix A.2: every way to be no point.
BAD = [
    "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
    (P - 1).to_bytes(32, "little").hex(),
    P.to_bytes(32, "little").hex(),
    (P + 2).to_bytes(32, "little").hex(),
]


@pytest.mark.parametrize("spelled", BAD)
def test_what_is_no_point_is_refused(spelled):
    data = bytes.fromhex(spelled)
    assert not rbcl.crypto_core_ristretto255_is_valid_point(data)
    assert sums_to_identity([1, 1], BASE + data) is None


def test_the_identity_and_other_lengths_are_refused():
    assert sums_to_identity([1], bytes(SIZE)) is None
    assert sums_to_identity([1], BASE[:-1]) is None
    assert sums_to_identity([], b"") is True


LIMBS = st.tuples(*[st.one_of(st.integers(0, 2**54 - 1), st.just(2**54 - 1))] * 5)


@njit
def _products(a, b):
    return field.multiply(a, b), field.square(a), field.subtract(a, field.multiply(b, b))


@settings(max_examples=300, deadline=None)
@given(LIMBS, LIMBS)
def test_products_of_limbs_up_to_their_bound_are_exact(a, b):
    def number(limbs):
        return sum(int(limb) << (51 * place) for place, limb in enumerate(limbs))

    product, squared, difference = _products(tuple(map(np.uint64, a)), tuple(map(np.uint64, b)))
    assert number(product) % P == number(a) * number(b) % P
    assert number(squared) % P == number(a) ** 2 % P
    assert number(difference) % P == (number(a) - number(b) ** 2) % P
    assert all(int(limb) < 2**51 + 2**13 for limb in (*product, *squared))
