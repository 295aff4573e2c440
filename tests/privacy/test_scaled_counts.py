"""People in one scaled vector: nobody is longer than the bound, and counts come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.privacy import scaled_counts
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.scaled_counts import PART, UNIT
from crowdlog.privacy.selection.incidence import Incidence

SIZE = 40
people = st.lists(st.sets(st.integers(0, SIZE - 1)), min_size=1, max_size=12)
weighting = st.lists(st.integers(1, UNIT), min_size=SIZE, max_size=SIZE).map(lambda w: np.array(w, np.int64))


def incidence(sets):
    offsets = np.append(0, np.cumsum([len(each) for each in sets]))
    items = np.array([item for each in sets for item in sorted(each)], np.int32)
    return Incidence(offsets, items, SIZE)


@settings(max_examples=60)
@given(sets=people, hers=st.sets(st.integers(0, SIZE - 1)), weights=weighting, bound=st.integers(1, 4 * UNIT))
def test_one_person_moves_the_sums_by_a_vector_no_longer_than_the_bound(sets, hers, weights, bound):
    before = scaled_counts.scaled(incidence(sets), weights, bound)
    after = scaled_counts.scaled(incidence([*sets, hers]), weights, bound)
    moved = [int(change) for change in after - before]
    assert sum(change**2 for change in moved) <= bound**2
    assert {place for place, change in enumerate(moved) if change} <= hers
    within = sum(int(weights[item]) ** 2 for item in hers) <= bound**2
    if within:
        assert all(moved[item] == weights[item] for item in hers)


def test_the_order_of_people_and_the_numbers_of_keys_do_not_matter():
    rng = np.random.default_rng(1)
    sets = [set(rng.choice(SIZE, 15, replace=False).tolist()) for _ in range(30)]
    weights = rng.integers(1, UNIT, SIZE)
    turn = rng.permutation(SIZE)
    plain = scaled_counts.scaled(incidence(sets), weights, UNIT)
    turned = scaled_counts.scaled(
        incidence([{int(turn[item]) for item in each} for each in reversed(sets)]),
        weights[np.argsort(turn)],
        UNIT,
    )
    assert np.array_equal(plain, turned[turn])


def test_the_bound_leaves_few_above_and_is_a_power_of_the_typical_length():
    rng = np.random.default_rng(2)
    squares = (UNIT**2 * rng.lognormal(0, 1, 20_000)).astype(np.int64)
    bound = scaled_counts.find_bound(squares, UNIT << 9, 1.0, SeededRandomness(1))
    above = (squares > bound**2).mean()
    assert 0.01 < above <= 0.085
    again = scaled_counts.find_bound(np.append(squares, UNIT**2 * 200), UNIT << 9, 1.0, SeededRandomness(1))
    assert bound == again  # with the same noise one person seldom changes it


def test_nobody_is_scaled_where_the_noise_is_too_large_to_find_a_bound():
    """A bound that noise alone chose left a hundredth or all of the weight, and nobody knew which."""
    held = incidence([{0, 1, 2}] * 500)
    weights = scaled_counts.as_weights(np.linspace(1, 2, SIZE))
    longest = scaled_counts.longest_length(weights)
    squares = scaled_counts.squared_lengths(held, weights)
    assert scaled_counts.squared_lengths(incidence([set(range(SIZE))]), weights)[0] <= longest**2
    found = {scaled_counts.find_bound(squares, longest, 0.005, SeededRandomness(i)) for i in range(30)}
    assert found == {longest}
    assert scaled_counts.find_bound(squares, 7, 1.0, SeededRandomness(1)) == 7  # none that nobody reaches


def test_noise_and_people():
    sets = [{0, 1}] * 900 + [{1}] * 100
    weights = scaled_counts.as_weights(np.linspace(1, 2, SIZE))
    counted = scaled_counts.noisy_people(incidence(sets), weights, 2 * UNIT, 1.0, SeededRandomness(4))
    true = np.array([900, 1000, *[0] * (SIZE - 2)])
    assert np.all(np.abs(counted.people - true) < 6 * counted.noise)
    assert np.allclose(counted.noise, 2 * UNIT / weights)
    assert 0.8 < np.std((counted.people - true) / counted.noise) < 1.2


def test_the_kept_share_is_what_scaling_leaves():
    rng = np.random.default_rng(3)
    sets = [set(rng.choice(SIZE, int(rng.integers(1, 30)), replace=False).tolist()) for _ in range(3000)]
    weights = np.full(SIZE, UNIT, np.int64)
    held = incidence(sets)
    squares = scaled_counts.squared_lengths(held, weights)
    bound = 3 * UNIT
    share, _noise = scaled_counts.kept_share(squares, bound, 1e3, SeededRandomness(6))
    assert (
        abs(share - scaled_counts.scaled(held, weights, bound).sum() / (UNIT * held.holders().sum())) < 0.01
    )


def test_the_kept_share_says_how_noisy_it_is():
    rng = np.random.default_rng(3)
    squares = (UNIT**2 * rng.lognormal(0, 1, 20_000)).astype(np.int64)
    looks = [scaled_counts.kept_share(squares, UNIT, 0.02, SeededRandomness(i)) for i in range(200)]
    share, noise = np.array(looks).T
    assert np.std(share) == pytest.approx(np.mean(noise), rel=0.15)
    lost, sure = scaled_counts.kept_share(squares[:3], UNIT, 1e-4, SeededRandomness(1))
    assert sure >= 1  # of three people it knows nothing
    assert np.isfinite(lost)


def test_sums_of_parts_get_noise_for_all_of_them():
    """Five indicators of one person: √5 in length."""
    drawn = [scaled_counts._noisy([0] * 5, 0.5, SeededRandomness(seed)) for seed in range(400)]
    assert abs(np.std(drawn) / (PART * np.sqrt(5) / 0.5) - 1) < 0.1


def test_one_person_adds_at_most_one_to_each_sum_of_the_kept_share(monkeypatch):
    """Whatever her length: both of her parts are whole numbers from 0 to PART."""
    seen = []
    monkeypatch.setattr(scaled_counts, "_noisy", lambda sums, _mu, _randomness: seen.append(sums) or sums)
    for square in [0, 1, UNIT**2, UNIT**2 + 1, 3 * UNIT**2, 4 * UNIT**2, UNIT**2 << 20]:
        scaled_counts.kept_share(np.array([square], np.int64), UNIT, 1.0, SeededRandomness(1))
    assert all(0 <= part <= PART for sums in seen for part in sums)
    assert seen[2][1] == 0
    assert seen[-1][0] == PART
