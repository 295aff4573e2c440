"""Every person is one unit, divided: nobody adds more, and shares come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.privacy.divided import UNIT, divided, noise_sd, noisy_cells, summed
from crowdlog.privacy.randomness import SeededRandomness

SIZE = 6
histories = st.lists(st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=9), max_size=8)


def rows(people):
    users = np.repeat(np.arange(len(people)), [len(own) for own in people])
    return users, np.array([cell for own in people for cell in own], np.int64)


@given(people=histories, hers=st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=200))
def test_one_person_adds_one_unit_at_most_wherever_she_stands(people, hers):
    before = divided(*rows(people), SIZE)
    for place in (0, len(people)):
        moved = divided(*rows([*people[:place], hers, *people[place:]]), SIZE) - before
        assert moved.min() >= 0
        assert UNIT - len(set(hers)) < moved.sum() <= UNIT
        assert moved.tolist() == [UNIT * hers.count(cell) // len(hers) for cell in range(SIZE)]


def test_rows_out_of_order_and_unknown_cells_are_refused():
    with pytest.raises(ValueError, match="order of their users"):
        divided(np.array([1, 0]), np.array([0, 0]), SIZE)
    with pytest.raises(ValueError, match="among the given ones"):
        divided(np.array([0]), np.array([SIZE]), SIZE)


@given(st.lists(st.integers(0, 1000), max_size=20), st.integers(0, 10**6))
def test_a_sum_takes_one_unit_of_a_person_at_most(parts, hers):
    before = summed(np.array(parts, np.int64), 256)
    (moved,) = summed(np.array([*parts, hers], np.int64), 256) - before
    assert moved == UNIT * min(hers, 256) // 256 <= UNIT


def test_noise_is_that_of_all_vectors_together():
    vectors = [np.zeros(2000, np.int64), np.zeros(1000, np.int64), np.zeros(1000, np.int64)]
    drawn = np.concatenate(noisy_cells(vectors, 0.1, SeededRandomness(5)))
    assert noise_sd(3, 0.1) == pytest.approx(3**0.5 / 0.1)
    assert drawn.std() == pytest.approx(noise_sd(3, 0.1), rel=0.05)
    assert abs(drawn.mean()) < 4 * noise_sd(3, 0.1) / 4000**0.5
