import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from crowdlog.measure.ragged import Lists, best_of_rows, counting, from_rows, joined_lists, one_each


def test_lists_are_taken_in_the_order_asked_for():
    lists = from_rows([0, 0, 2, 2, 2], [7, 8, 1, 2, 3], 3)
    taken = lists.take(np.array([2, 1, 0, 2]))
    assert [taken[i].tolist() for i in range(4)] == [[1, 2, 3], [], [7, 8], [1, 2, 3]]
    assert lists.rows.tolist() == [0, 0, 2, 2, 2]


def test_counting_starts_again_for_each_length():
    assert counting(np.array([2, 0, 3])).tolist() == [0, 1, 0, 1, 2]
    assert counting(np.zeros(0, np.int64)).tolist() == []


def test_joined_lists_keep_their_order():
    whole = joined_lists([one_each([5, 6]), from_rows([0, 0], [1, 2], 1)])
    assert [whole[i].tolist() for i in range(len(whole))] == [[5], [6], [1, 2]]
    assert len(joined_lists([])) == 0


@pytest.mark.parametrize("width", [50, 300])
def test_best_of_rows_is_a_sort_of_each_row(width):
    matrix = csr_array(random_array((20, width), density=0.3, rng=np.random.default_rng(3)))
    found = best_of_rows(matrix, 5)
    for i in range(20):
        row = matrix[[i]].toarray()[0]
        assert found[i].tolist() == sorted(np.flatnonzero(row), key=lambda j: -row[j])[:5]


def test_ties_do_not_follow_the_ids():
    matrix = csr_array(np.ones((1, 64)))
    found = best_of_rows(matrix, 64)[0].tolist()
    assert sorted(found) == list(range(64))
    assert found != list(range(64))


def test_an_empty_matrix_gives_empty_lists():
    found = best_of_rows(csr_array((3, 4)), 2)
    assert isinstance(found, Lists)
    assert found.lengths.tolist() == [0, 0, 0]
