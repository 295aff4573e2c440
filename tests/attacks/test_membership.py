import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.attacks.membership import play, strangers

OWN = csr_array(np.array([[1, 0, 0], [0, 2, 0], [1, 1, 0], [0, 0, 1]]))
TOTAL = np.array([2.0, 3.0, 1.0])
BOTH = np.array([True, False, True, False])


def right(counts, inside):
    return play(OWN, counts, np.arange(4), inside, np.random.default_rng(1)).tolist()


def test_exact_counts_are_always_guessed_right():
    assert right(TOTAL, BOTH) == right(TOTAL, ~BOTH) == [True] * 4


def test_noise_larger_than_a_person_leaves_one_side_right():
    assert right(TOTAL + 50, BOTH) == BOTH.tolist()
    assert right(TOTAL - 50, BOTH) == (~BOTH).tolist()


def test_a_person_without_a_published_query_is_a_coin():
    hidden = np.array([np.nan, np.nan, np.nan])
    many = play(OWN, hidden, np.zeros(10_000, np.int64), np.ones(10_000, bool), np.random.default_rng(1))
    assert many.mean() == pytest.approx(0.5, abs=0.03)


def test_no_two_targets_share_a_published_query():
    chosen = strangers(OWN, np.random.default_rng(1))
    assert (OWN[chosen].astype(bool).sum(axis=0) <= 1).all()
    assert {0, 1, 3} == set(chosen.tolist())  # the lightest first
