"""Which keys are among known ones, beside sets."""

import numpy as np

from crowdlog.mechanisms.rungs.known_keys import known_keys, taken_keys


def test_keys_are_known_and_known_ones_are_met():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        known = np.unique(rng.integers(-5, 60, rng.integers(0, 20)))
        keys = rng.integers(-20, 80, rng.integers(0, 100))
        kind = rng.integers(-1, 2, len(keys)).astype(np.int32)
        is_known, met = known_keys(known, keys)
        assert is_known.tolist() == np.isin(keys, known).tolist()
        assert met.tolist() == np.isin(known, keys).tolist()
        assert taken_keys(known, keys, kind).tolist() == np.isin(known, keys[kind >= 0]).tolist()


def test_the_least_number_is_no_key_of_others():
    least = np.iinfo(np.int64).min
    assert taken_keys(np.array([least, 3]), np.array([0, 3]), np.zeros(2, np.int32)).tolist() == [False, True]
