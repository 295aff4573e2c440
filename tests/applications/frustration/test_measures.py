import numpy as np
import pytest

from crowdlog.applications.frustration.measures import f_beta, macro_f, precision_recall


def test_nothing_predicted_and_nothing_true():
    nothing, some = np.zeros(2, bool), np.array([True, False])
    assert precision_recall(nothing, some) == (1.0, 0.0)
    assert precision_recall(some, nothing) == (0.0, 1.0)
    assert precision_recall(nothing, nothing) == (1.0, 1.0)


def test_f_of_means_not_mean_of_fs():
    """Two people, precision and recall (1, 0) and (.5, 1): F₀.₅ of (.75, .5), not the mean of both F."""
    user = np.array([0, 0, 1, 1])
    predicted = np.array([False, False, True, True])
    true = np.array([True, False, True, False])
    found = macro_f(user, predicted, true)
    assert (found["precision"], found["recall"]) == (0.75, 0.5)
    assert found["f0.5"]["value"] == pytest.approx(1.25 * 0.75 * 0.5 / (0.25 * 0.75 + 0.5))
    assert found["f0.5"]["value"] != pytest.approx((f_beta(1, 0) + f_beta(0.5, 1)) / 2)
