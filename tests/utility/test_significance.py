import numpy as np
import pytest
from scipy.stats import ttest_rel

from crowdlog.utility.significance import bootstrap_interval, bootstrap_ratio, bootstrap_share, paired_t_test
from crowdlog.utility.splits import generator


def test_the_t_test_is_the_textbooks():
    draws = np.random.default_rng(5)
    for n in (2, 3, 10, 500):
        first, second = draws.normal(0.5, 0.2, n), draws.normal(0.52, 0.2, n)
        assert paired_t_test(first, second) == pytest.approx(ttest_rel(first, second).pvalue, rel=1e-9)


def test_equal_scores_do_not_differ():
    scores = np.array([0.1, 0.7, 0.4])
    assert paired_t_test(scores, scores) == 1.0
    assert paired_t_test(scores + 0.5, scores) is not None
    assert paired_t_test(np.array([1.0]), np.array([0.0])) is None


def test_a_constant_difference_is_certain():
    assert paired_t_test(np.array([1.0, 2.0]), np.array([0.0, 1.0])) == 0.0


def test_the_interval_is_as_wide_as_theory_says():
    scores = np.random.default_rng(1).normal(0.5, 0.2, 2000)
    low, high = bootstrap_interval(scores, generator(0))
    half = 1.96 * scores.std() / np.sqrt(2000)
    assert (low + high) / 2 == pytest.approx(scores.mean(), abs=half / 5)
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_a_share_has_the_interval_of_its_indicators():
    indicators = np.repeat([1.0, 0.0], [300, 700])
    low, high = bootstrap_interval(indicators, generator(0))
    share_low, share_high = bootstrap_share(300, 1000, generator(1))
    assert share_low == pytest.approx(low, abs=0.006)
    assert share_high == pytest.approx(high, abs=0.006)


def test_groups_that_stand_or_fall_together_are_less_sure_than_their_members():
    hits, sizes = np.array([100, 0, 100, 0, 7]), np.array([100, 100, 100, 100, 0])
    low, high = bootstrap_ratio(hits, sizes, generator(0))
    assert (low, high) == (0.0, 1.0)
    share_low, share_high = bootstrap_share(200, 400, generator(0))
    assert low < share_low < share_high < high
    assert bootstrap_ratio(np.array([3]), np.array([10]), generator(0)) == bootstrap_share(3, 10, generator(0))


def test_nothing_has_no_interval():
    assert bootstrap_interval(np.zeros(0), generator(0)) is None
    assert bootstrap_share(0, 0, generator(0)) is None
    assert bootstrap_ratio(np.zeros(2, int), np.zeros(2, int), generator(0)) is None


def test_intervals_are_repeatable():
    scores = np.arange(50.0)
    assert bootstrap_interval(scores, generator(3)) == bootstrap_interval(scores, generator(3))
