import numpy as np
import pytest
from scipy.stats import ttest_rel

from crowdlog.measure.intervals import paired_t_test


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
