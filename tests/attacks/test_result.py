import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from crowdlog.attacks.result import averaged, bootstrap, clopper_pearson, counted


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"), [(0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (5, 10, 0.1871, 0.8129), (1, 100, 0.00025, 0.0545)]
)
def test_clopper_pearson_is_that_of_the_tables(hits, trials, low, high):
    assert clopper_pearson(hits, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 400).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))), st.sampled_from([0.95, 0.9998]))
def test_clopper_pearson_is_that_of_scipy(game, confidence):
    hits, trials = game
    expected = binomtest(hits, trials).proportion_ci(confidence, method="exact")
    assert clopper_pearson(hits, trials, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_result_is_broken_only_when_the_whole_interval_is_above_chance():
    assert counted("x", 10, 10, 0.5).broken
    assert not counted("x", 8, 10, 0.5).broken
    assert averaged("x", np.ones(5), 0.5, np.random.default_rng(1)).broken


def test_the_bootstrap_interval_is_that_of_a_mean():
    values = np.random.default_rng(2).random(1000)
    low, high = bootstrap(values, np.random.default_rng(3))
    error = values.std() / np.sqrt(len(values))
    assert (values.mean() - low, high - values.mean()) == pytest.approx((1.96 * error, 1.96 * error), rel=0.15)
