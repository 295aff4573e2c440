import numpy as np

from crowdlog.measure.draws import generator, mix


def test_mixing_is_one_to_one():
    assert len(set(mix(np.arange(10_000)).tolist())) == 10_000


def test_a_seed_repeats_its_draws():
    assert generator(1).random() == generator(1).random() != generator(2).random()
