"""Randomness by key: the same whoever asks first, different for every step, key and block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.privacy.keyed import KeyedRandomness, for_keys, only, within
from crowdlog.privacy.noise import DiscreteGaussian, DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian

SECRET = bytes(range(32))
NOISES = [DiscreteLaplace(3.0), DiscreteLaplace(5_000.0), DiscreteGaussian(2.5), RoundedGaussian(7.3)]


def keyed(secret: bytes = SECRET) -> KeyedRandomness:
    return KeyedRandomness(secret, private=False)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@given(seed=st.integers(0, 2**32), parts=st.integers(1, 7))
def test_noise_of_a_key_does_not_depend_on_who_draws_first(noise, seed, parts):
    rng = np.random.default_rng(seed)
    keys = rng.choice(1 << 40, 200, replace=False)
    whole = noise.draw(len(keys), for_keys(keyed(), "step", keys))
    order = rng.permutation(len(keys))
    for part in np.array_split(order, parts):
        assert (noise.draw(len(part), for_keys(keyed(), "step", keys[part])) == whole[part]).all()


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_noise_by_key_has_the_same_law(noise):
    """Both samples of 200,000 are compared bin by bin: a key used twice or a cut stream would show."""
    n = 200_000
    ours = noise.draw(n, for_keys(keyed(), "law", np.arange(n)))
    plain = noise.draw(n, SeededRandomness(5))
    edges = np.unique(np.quantile(plain, np.linspace(0, 1, 21)))
    both = [np.histogram(each, [-np.inf, *edges[1:-1], np.inf])[0] for each in (ours, plain)]
    chi2 = ((both[0] - both[1]) ** 2 / (both[0] + both[1])).sum()
    assert chi2 < len(edges) + 6 * np.sqrt(2 * len(edges))


def test_steps_parts_and_secrets_are_apart():
    keys = np.arange(1_000)
    draws = {
        name: for_keys(randomness, step, keys).bytes(8_000)
        for name, (randomness, step) in {
            "one": (keyed(), "a"),
            "step": (keyed(), "b"),
            "part": (within(keyed(), "table"), "a"),
            "other part": (within(keyed(), "other"), "a"),
            "secret": (keyed(bytes(32)), "a"),
        }.items()
    }
    assert len(set(draws.values())) == len(draws)
    assert draws["one"] == for_keys(keyed(), "a", keys).bytes(8_000)


def test_numbers_stand_for_the_keys_of_their_part():
    names = np.array([70, 5, 900])
    inside = within(keyed(), "table", names)
    plain = within(keyed(), "table")
    assert for_keys(inside, "s", np.array([2, 0])).bytes(16) == for_keys(
        plain, "s", np.array([900, 70])
    ).bytes(16)
    users = np.array([1, 1, 2])
    assert (
        inside.tags("t", users, np.array([0, 1, 1])) == plain.tags("t", users, np.array([70, 5, 5]))
    ).all()


def test_a_stream_goes_on_for_the_keys_that_take_more():
    streams = for_keys(keyed(), "s", np.arange(6))
    first = streams.bytes(6 * 16)
    only(streams, np.array([1, 4])).bytes(2 * 16)
    second = streams.bytes(6 * 16)
    fresh = for_keys(keyed(), "s", np.array([0, 2]))
    assert fresh.bytes(32) == first[:16] + first[32:48]
    assert (
        fresh.bytes(32) == second[:16] + second[32:48]
    )  # key 1 took a block in between, keys 0 and 2 did not
    blocks = [first[16 * i : 16 * i + 16] for i in range(6)] + [
        second[16 * i : 16 * i + 16] for i in range(6)
    ]
    assert len(set(blocks)) == 12


def test_some_of_some_of_the_keys():
    whole = for_keys(keyed(), "s", np.arange(10)).bytes(160)
    part = only(only(for_keys(keyed(), "s", np.arange(10)), slice(2, 8)), np.array([0, 3]))
    assert part.bytes(32) == whole[32:48] + whole[80:96]
    again = only(only(for_keys(keyed(), "s", np.arange(10)), np.array([9, 4, 5])), [1])
    assert again.bytes(16) == whole[64:80]


def test_places_of_a_repeated_number_have_tags_of_their_own():
    users, numbers, place = np.zeros(1_000, np.int64), np.repeat([3, 4], 500), np.tile(np.arange(500), 2)
    tags = keyed().tags("t", users, numbers, place)
    assert len(np.unique(tags)) == 1_000


def test_other_randomness_is_left_alone():
    plain = SystemRandomness()
    assert for_keys(plain, "s", np.arange(3)) is plain
    assert only(plain, [1]) is plain
    assert within(plain, "p") is plain


def test_bytes_of_the_release_itself_follow_from_the_secret():
    one, two = keyed(), keyed()
    assert [one.bytes(5), one.bytes(40)] == [two.bytes(5), two.bytes(40)]
    assert one.bytes(32) != one.bytes(32)


def test_the_secret_is_fresh_and_not_shown():
    one, two = KeyedRandomness.of(SystemRandomness()), KeyedRandomness.of(SystemRandomness())
    assert one.bytes(16) != two.bytes(16)
    assert one.private
    assert not KeyedRandomness.of(SeededRandomness(1)).private
    assert repr(keyed(b"x" * 32)) == "KeyedRandomness()"
    assert repr(for_keys(keyed(), "s", np.arange(3))) == "KeyStreams(3 keys)"


def test_a_stream_gives_at_most_a_block():
    with pytest.raises(ValueError, match="17 bytes cannot"):
        for_keys(keyed(), "s", np.arange(1)).bytes(17)
