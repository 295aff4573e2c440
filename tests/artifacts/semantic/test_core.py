import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.semantic import core
from crowdlog.artifacts.semantic.core import core_degrees, merge_users
from tests.artifacts.semantic.helpers import as_arrays, rows, slow_cores, user_graphs


@given(user_graphs())
def test_same_cores_as_the_definition(drawn):
    neighbours, users = drawn
    assert core_degrees(*as_arrays(neighbours, users)).tolist() == slow_cores(neighbours, users)


@given(st.integers(0, 10_000))
def test_one_own_user_each_is_the_plain_k_core(seed):
    """A vertex counts its own user too: the generalized degree is the plain one and one more."""
    plain = nx.gnm_random_graph(60, 240, seed=seed)
    neighbours = [set(plain[v]) for v in range(60)]
    expected = nx.core_number(plain)
    assert core_degrees(*as_arrays(neighbours, [{v} for v in range(60)], 60)).tolist() == [
        expected[v] + 1 for v in range(60)
    ]


def test_a_query_of_many_users_supports_itself_and_its_refinements():
    users = [set(range(200)), {300}, {301}, {302}]
    assert core_degrees(*as_arrays([{1, 2}, {0}, {0}, set()], users, 400)).tolist() == [201, 201, 201, 1]


def test_queries_of_one_user_count_once():
    neighbours = [{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}]
    assert core_degrees(*as_arrays(neighbours, [{0}, {0}, {0}, {1}])).tolist() == [2, 2, 2, 2]


def test_large_random_graph_with_shared_users():
    rng = np.random.default_rng(3)
    plain = nx.gnm_random_graph(300, 2000, seed=3)
    neighbours = [set(plain[v]) for v in range(300)]
    users = [set(rng.integers(0, 80, rng.integers(1, 6)).tolist()) for _ in range(300)]
    assert core_degrees(*as_arrays(neighbours, users, 80)).tolist() == slow_cores(neighbours, users)


def test_users_of_equal_vectors_are_merged_once():
    sets = merge_users(*rows([[0, 1], [2], [1, 3]]), np.array([1, 0, 1], np.int32), 2, 4)
    assert sets.start.tolist() == [0, 1, 4]
    assert sets.user[:1].tolist() == [2]
    assert sorted(sets.user[1:].tolist()) == [0, 1, 3]


@given(user_graphs(), st.randoms(use_true_random=False))
def test_what_a_higher_theta_found_changes_nothing(drawn, random):
    """Fewer edges give lower bounds of the degrees with more edges."""
    neighbours, users = drawn
    fewer = [{w for w in near if random.random() < 0.5} for near in neighbours]
    fewer = [{w for w in near if v in fewer[w]} for v, near in enumerate(fewer)]
    known = core_degrees(*as_arrays(fewer, users))
    assert core_degrees(*as_arrays(neighbours, users), known).tolist() == slow_cores(neighbours, users)


@pytest.mark.parametrize("patience", [1, 2])
@given(drawn=user_graphs())
def test_tables_of_supporters_change_nothing(patience, drawn):
    neighbours, users = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "_PATIENCE", patience)
        assert core_degrees(*as_arrays(neighbours, users)).tolist() == slow_cores(neighbours, users)


def test_many_queries_of_one_user_are_not_counted_over_and_over():
    """A hub in a clique of six users amid 3,000 queries of one user, which all go before it: without a table
    it is counted hundreds of times.
    """
    n = 3000
    clique = [set(range(6)) - {v} for v in range(6)]
    neighbours = [clique[0] | set(range(6, n + 6)), *clique[1:], *({0} for _ in range(n))]
    graph, sets = as_arrays(neighbours, [*({v} for v in range(6)), *({6} for _ in range(n))])
    known = np.zeros(n + 6, np.int32)
    cores, counts = core._peel(graph.start, graph.neighbour, sets.start, sets.user, 10, known, core._PATIENCE)
    assert cores[:6].tolist() == [6] * 6
    assert set(cores[6:].tolist()) == {2}
    assert counts < 2 * n + 50
    slow_cores_too, slow_counts = core._peel(
        graph.start, graph.neighbour, sets.start, sets.user, 10, known, 0
    )
    assert slow_cores_too.tolist() == cores.tolist()
    assert slow_counts > 2 * n + 200
