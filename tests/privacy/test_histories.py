"""Histories: grouped in any order of rows; no user adds more than her budget; counts of others stay as they
are.
"""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.errors import InputError
from crowdlog.privacy.histories import Histories, count_noise
from crowdlog.privacy.randomness import SeededRandomness

SIZE = 5
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, SIZE - 1)), max_size=60)


def histories(rows: list[tuple[int, int]], size: int = SIZE) -> Histories:
    users, items = (np.array([row[k] for row in rows], np.int64) for k in (0, 1))
    return Histories.from_rows(users, items, size)


@given(ROWS)
def test_rows_of_any_order_are_grouped(rows: list[tuple[int, int]]) -> None:
    grouped = histories(rows)
    for user in range(len(grouped.offsets) - 1):
        own = grouped.items[grouped.offsets[user] : grouped.offsets[user + 1]].tolist()
        assert own == sorted(item for who, item in rows if who == user)
    sets = grouped.distinct()
    assert sets.holders().tolist() == [len({who for who, item in rows if item == k}) for k in range(SIZE)]


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, int]], random: Random) -> None:
    """An engine returns rows in any order: equal logs and equal random numbers must give equal counts."""
    shuffled = random.sample(rows, len(rows))
    one, two = (histories(each).counts(3, SeededRandomness(5)) for each in (rows, shuffled))
    assert one.tolist() == two.tolist()


@given(ROWS, st.integers(1, 30))
def test_no_user_exceeds_the_budget_and_small_users_are_whole(
    rows: list[tuple[int, int]], budget: int
) -> None:
    for user in range(5):
        own = [(0, item) for who, item in rows if who == user]
        true = np.bincount([item for _who, item in own], minlength=SIZE)
        counted = histories(own).counts(budget, SeededRandomness(1))
        assert np.all(counted <= true)
        assert (counted**2).sum() <= budget
        if (true**2).sum() <= budget:
            assert counted.tolist() == true.tolist()
        elif len(own) > 0:
            assert counted.sum() >= 1


def test_a_large_users_occurrences_are_a_fair_sample() -> None:
    many = histories([(user, item) for user in range(3000) for item in range(SIZE)])
    counted = many.counts(2, SeededRandomness(3))
    assert counted.sum() == 6000
    assert np.all(np.abs(counted - 1200) < 6 * np.sqrt(1200))


def test_equal_tags_end_a_users_turn() -> None:
    class Same:
        private = False

        def bytes(self, n: int) -> bytes:
            return bytes(n)

    assert histories([(0, 0), (0, 1), (0, 2)]).counts(2, Same()).tolist() == [0] * SIZE


def test_keeping_some_items_renumbers_them() -> None:
    kept = histories([(0, 3), (0, 1), (1, 3), (1, 4), (1, 3)]).only(np.array([3, 4]))
    assert kept.counts(100, SeededRandomness(1)).tolist() == [3, 1]
    assert repr(kept) == "Histories(2 users, 4 occurrences of 2 items)"


def test_noise_has_the_scale_that_was_asked_for() -> None:
    drawn = count_noise(16, 0.5).draw(40_000, SeededRandomness(2))
    assert drawn.std() == pytest.approx(8.0, rel=0.03)
    assert count_noise(16, 0.5).sigma >= 8.0


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 4"):
        histories([(0, 5)])
