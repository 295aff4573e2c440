import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from crowdlog.measure.draws import generator
from crowdlog.measure.intervals import (
    bootstrap_mean,
    bootstrap_ratio,
    bootstrap_share,
    clopper_pearson,
    mean_interval,
)


def test_the_interval_is_as_wide_as_theory_says():
    scores = np.random.default_rng(1).normal(0.5, 0.2, 2000)
    low, high = bootstrap_mean(scores, generator(0))
    half = 1.96 * scores.std() / np.sqrt(2000)
    assert (low + high) / 2 == pytest.approx(scores.mean(), abs=half / 5)
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_a_share_has_the_interval_of_its_indicators():
    indicators = np.repeat([1.0, 0.0], [300, 700])
    low, high = bootstrap_mean(indicators, generator(0))
    share_low, share_high = bootstrap_share(300, 1000, generator(1))
    assert share_low == pytest.approx(low, abs=0.006)
    assert share_high == pytest.approx(high, abs=0.006)


def test_groups_that_stand_or_fall_together_are_less_sure_than_their_members():
    hits, sizes = np.array([100, 0, 100, 0, 7]), np.array([100, 100, 100, 100, 0])
    low, high = bootstrap_ratio(hits, sizes, generator(0))
    assert (low, high) == (0.0, 1.0)
    share_low, share_high = bootstrap_share(200, 400, generator(0))
    assert low < share_low < share_high < high
    assert bootstrap_ratio(np.array([3]), np.array([10]), generator(0)) == bootstrap_share(
        3, 10, generator(0)
    )


def test_nothing_has_no_interval():
    assert bootstrap_mean(np.zeros(0), generator(0)) is None
    assert bootstrap_share(0, 0, generator(0)) is None
    assert bootstrap_ratio(np.zeros(2, int), np.zeros(2, int), generator(0)) is None


def test_intervals_are_repeatable():
    scores = np.arange(50.0)
    assert bootstrap_mean(scores, generator(3)) == bootstrap_mean(scores, generator(3))


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(0, 10, 0, 0.3085), (10, 10, 0.6915, 1), (5, 10, 0.1871, 0.8129), (1, 100, 0.00025, 0.0545)],
)
def test_clopper_pearson_is_that_of_the_tables(hits, trials, low, high):
    assert clopper_pearson(hits, trials) == pytest.approx((low, high), abs=5e-5)


@given(
    st.integers(1, 400).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))),
    st.sampled_from([0.95, 0.9998]),
)
def test_clopper_pearson_is_that_of_scipy(game, confidence):
    hits, trials = game
    expected = binomtest(hits, trials).proportion_ci(confidence, method="exact")
    assert clopper_pearson(hits, trials, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.binomial(30, 0.55, 200) / 30,
        lambda rng: rng.choice([0.0, 1.0], 200, p=[0.45, 0.55]),  # all games of a run right, or all wrong
        lambda rng: rng.choice([0.5, 1.0], 200, p=[0.9, 0.1]),
    ],
)
def test_the_interval_of_a_mean_holds_it_at_least_as_often_as_it_says(draw):
    """Of 200 intervals at 80 %, 40 may fail; fewer than 58 do but in one of a thousand cases."""
    rng = np.random.default_rng(8)
    ends = np.array([mean_interval(draw(rng), 0.8) for _ in range(200)])
    assert ((ends[:, 0] > 0.55) | (ends[:, 1] < 0.55)).sum() < 58


def test_the_interval_of_a_mean_is_not_much_wider_than_that_of_all_games():
    shares = np.random.default_rng(1).binomial(100, 0.55, 1_000) / 100
    low, high = mean_interval(shares, 0.9998)
    exact = clopper_pearson(round(shares.sum() * 100), 100_000, 0.9998)
    assert low < shares.mean() < high
    assert high - low < 2 * (exact[1] - exact[0])


def test_the_mean_of_few_numbers_is_not_sure():
    assert mean_interval(np.ones(2), 0.9998) == (0.0, 1.0)
    assert mean_interval(np.zeros(1)) == (0.0, 1.0)
    assert mean_interval(np.ones(500))[0] > 0.98
