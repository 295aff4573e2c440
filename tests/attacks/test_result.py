import numpy as np

from crowdlog.attacks.result import averaged, counted


def test_a_result_is_broken_only_when_the_whole_interval_is_above_chance():
    assert counted("x", 10, 10, 0.5).broken
    assert not counted("x", 8, 10, 0.5).broken
    assert averaged("x", np.ones(5), 0.5, np.random.default_rng(1)).broken
