import numpy as np
import pytest
from scipy.stats import binom

from crowdlog.audit.bounds import lower, upper


@pytest.mark.parametrize(("hits", "trials"), [(1, 10), (5, 10), (50, 1000), (999, 1000)])
def test_bounds_are_where_the_binomial_tail_is_alpha(hits, trials):
    low, high = float(lower(hits, trials, 1e-4)), float(upper(hits, trials, 1e-4))
    assert binom.sf(hits - 1, trials, low) == pytest.approx(1e-4)
    assert binom.cdf(hits, trials, high) == pytest.approx(1e-4)


def test_no_success_and_nothing_but_successes():
    assert lower([0, 10], 10, 0.01).tolist() == pytest.approx([0, 0.01 ** (1 / 10)])
    assert upper([0, 10], 10, 0.01).tolist() == pytest.approx([1 - 0.01 ** (1 / 10), 1])


def test_the_true_probability_lies_outside_as_rarely_as_promised():
    hits = np.random.default_rng(3).binomial(200, 0.03, size=20_000)
    assert np.mean(lower(hits, 200, 0.01) > 0.03) <= 0.011
    assert np.mean(upper(hits, 200, 0.01) < 0.03) <= 0.011
