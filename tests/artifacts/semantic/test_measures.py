import numpy as np
import pytest

from crowdlog.artifacts.semantic.measures import f_beta, mean_user_share, queries_of, released_share
from crowdlog.artifacts.semantic.words import QueryUsers
from tests.artifacts.semantic.helpers import rows

DEGREES = np.array([1, 2, 5, 5], np.int32)
USERS = QueryUsers(*rows([[0], [0, 1], [1], [1, 2]]), 4)


def test_share_counts_degrees_of_at_least_k():
    assert released_share(DEGREES, (1, 2, 3, 5, 6)).tolist() == [1, 0.75, 0.5, 0.5, 0]


def test_mean_over_users_who_typed_something():
    assert mean_user_share(DEGREES, USERS, (2, 5)).tolist() == pytest.approx(
        [(1 / 2 + 1 + 1) / 3, (0 + 2 / 3 + 1) / 3]
    )


def test_queries_of_one_user():
    assert queries_of(USERS, 1).tolist() == [1, 2, 3]
    assert queries_of(USERS, 3).tolist() == []


def test_f_beta_from_precision_and_recall():
    harmless = np.array([True, False, True, True])
    precision, recall = 2 / 3, 2 / 3
    assert f_beta(DEGREES, harmless, 1, (2,))[0] == pytest.approx(
        2 * precision * recall / (precision + recall)
    )
    precision, recall, beta = 3 / 4, 1, 0.1
    assert f_beta(DEGREES, harmless, beta, (1,))[0] == pytest.approx(
        (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    )
    assert f_beta(DEGREES, harmless, 1, (9,))[0] == 0
