import numpy as np

from crowdlog.attacks.result import result_of_mean, result_of_trials


def test_a_result_is_broken_only_when_the_whole_interval_is_above_chance():
    assert result_of_trials("x", 10, 10, 0.5).broken
    assert not result_of_trials("x", 8, 10, 0.5).broken
    assert result_of_mean("x", np.ones(5), 0.5, np.random.default_rng(1)).broken
