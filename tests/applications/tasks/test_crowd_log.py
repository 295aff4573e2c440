"""Noisy counts of vectors, made usable."""

import numpy as np
import pytest

from crowdlog.applications.tasks.crowd_log import model_of_counts, noise_deviation, prior, smoothed
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness

BINS = "bin2"


def noisy(true, scale, seed):
    drawn = DiscreteLaplace(scale).draw(true.size, SeededRandomness(seed))
    return true + drawn.reshape(true.shape)


def one_task(weights):
    return weights[1] / weights.sum(axis=0)


@pytest.mark.parametrize("true", [0, 30, 100])
def test_the_noise_is_known_from_negative_counts_whatever_was_counted(true):
    counts = noisy(np.full((2, 20_000), float(true)), 40.0, 3)
    assert noise_deviation(counts) == pytest.approx(40 * np.sqrt(2), rel=0.1)


def test_many_people_outweigh_what_synthetic_logs_have():
    public = prior(BINS)[0]
    other = public[::-1]  # where synthetic logs join, these people do not
    counts = noisy(1e9 * other, 20.0, 5)  # some of the rare cells come out negative
    often = other.sum(axis=0) > 0.01
    got, true = one_task(smoothed(BINS, counts, public)[:, often]), one_task(other[:, often])
    assert (counts < 0).any()
    assert np.abs(got - true).max() < 0.05  # a twentieth of the prior stays


def test_few_people_cannot_turn_what_synthetic_logs_have():
    public = prior(BINS)[0]
    often = public.sum(axis=0) > 0.01
    for seed in range(20):
        weights = smoothed(BINS, noisy(20 * public, 200.0, seed), public)
        assert np.abs(one_task(weights[:, often]) - one_task(public[:, often])).max() < 0.05


def test_vectors_that_synthetic_logs_never_have_are_learnt_from():
    public = prior(BINS)[0].copy()
    public[:, 3] = 0
    counts = 1e6 * public
    counts[1, 3] = 1e5
    counts[0, 5] -= counts[0, 5] + 1  # noisy
    assert smoothed(BINS, counts, public)[1, 3] > 5e4


def test_no_weight_is_negative_and_a_model_can_be_made():
    for bins in ("bin1", "bin2"):
        counts = noisy(2_000 * prior(bins)[0], 20.0, 9)
        assert (smoothed(bins, counts, prior(bins)[0]) >= 0).all()
        assert model_of_counts(bins, counts).bins == bins
