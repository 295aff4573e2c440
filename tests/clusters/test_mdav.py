"""MDAV equals the algorithm as printed, for every distance, on small random logs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.artifacts.knowledge.tree import tree_of_paths
from crowdlog.clusters.distances.at_random import RandomDistance
from crowdlog.clusters.distances.common import CommonDistance, odp
from crowdlog.clusters.distances.semantic import equality, semantic
from crowdlog.clusters.distances.vectors import VectorDistance
from crowdlog.clusters.greedy import greedy
from crowdlog.clusters.mdav import mdav
from crowdlog.clusters.partition import PartitionSettings, partition
from crowdlog.clusters.profiles import profiles_of
from crowdlog.clusters.space import MatrixSpace, RowSpace
from crowdlog.clusters.swaps import swap
from crowdlog.errors import InputError
from tests.support import naive_clusters as naive

# A tree with siblings, chains and a second root.
TREE = tree_of_paths(
    "a test",
    [
        (tuple(path.split("/")), 0)
        for path in ("a/b/c", "a/b/d/e", "a/f", "g/h/i", "g/h/j/k/l", "g/m", "n", "g/h/j/o")
    ],
)
rows = st.lists(st.tuples(st.integers(0, 13), st.integers(0, len(TREE) - 1)), max_size=60)
DISTANCES = {
    "semantic": lambda profiles: semantic(profiles, TREE),
    "equality": equality,
    "odp": lambda profiles: odp(profiles, TREE, 3),
    "common": CommonDistance,
    "random": lambda profiles: RandomDistance(len(profiles)),
    "vectors": lambda profiles: VectorDistance(
        np.stack([profiles.total, np.diff(profiles.start)], axis=1).astype(float)
    ),
}


def profiles(found):
    user, item = (
        (np.array(column, np.int64) for column in zip(*found, strict=True)) if found else (_none(), _none())
    )
    return profiles_of(user, item, 14)


def _none():
    return np.zeros(0, np.int64)


@pytest.mark.parametrize("name", DISTANCES)
@given(found=rows, k=st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_the_partition_is_that_of_the_printed_algorithm(name, found, k):
    distance = DISTANCES[name](profiles(found))
    matrix = distance.matrix(2)
    expected = naive.mdav(matrix.tolist(), k)
    assert naive.as_sets(mdav(MatrixSpace(matrix), k)) == expected
    assert naive.as_sets(mdav(RowSpace(distance), k)) == expected
    assert {len(cluster) for cluster in expected} <= set(range(k, 2 * k))


@pytest.mark.parametrize("name", DISTANCES)
@given(found=rows)
@settings(max_examples=30, deadline=None)
def test_a_distance_is_symmetric_and_the_same_by_rows_in_parts_and_on_any_number_of_threads(name, found):
    distance = DISTANCES[name](profiles(found))
    matrix = distance.matrix(1)
    assert (matrix == distance.matrix(3)).all()
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 0).all()
    some = np.array([12, 3, 7, 0])
    assert (distance.part(some).matrix() == matrix[np.ix_(some, some)]).all()
    assert (distance.row(5, some) == matrix[5, some]).all()


@given(found=rows)
@settings(max_examples=60, deadline=None)
def test_the_semantic_distance_is_that_of_the_definition(found):
    users = profiles(found)
    matrix = semantic(users, TREE).matrix()
    sets = [
        dict(zip(users.item[a:b].tolist(), users.weight[a:b].tolist(), strict=True))
        for a, b in zip(users.start[:-1], users.start[1:], strict=True)
    ]
    for one in range(0, 14, 3):
        for other in range(one):
            assert matrix[one, other] / 2**24 == pytest.approx(
                float(naive.semantic(TREE, sets[one], sets[other])), abs=2**-16
            )


@given(found=rows, k=st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_greedy_clusters_are_those_of_the_printed_algorithms(found, k):
    similarity = CommonDistance(profiles(found)).similarity(2)
    assert naive.as_sets(greedy(similarity, k)) == naive.greedy(similarity.tolist(), k)


def test_the_medoid_may_be_found_once_only():
    matrix = RandomDistance(50).matrix()
    fixed = mdav(MatrixSpace(matrix), 3, once=True)
    assert (fixed == mdav(RowSpace(RandomDistance(50)), 3, once=True)).all()
    assert set(np.bincount(fixed)) <= {3, 4, 5}
    assert not (fixed == mdav(MatrixSpace(matrix), 3)).all()


@pytest.mark.parametrize("exact", [10, 17, 100])
@pytest.mark.parametrize("swaps", [0, 2])
def test_blocks_and_swaps_keep_the_sizes(exact, swaps):
    found = partition(RandomDistance(83), 4, PartitionSettings(exact=exact, swaps=swaps))
    assert found.blocks == {10: 11, 17: 8, 100: 1}[exact]
    assert found.sizes.min() >= 4
    assert found.sizes.max() <= 7
    assert found.sizes.sum() == 83


def test_swaps_never_raise_the_error():
    distance = RandomDistance(90)
    errors = [partition(distance, 3, PartitionSettings(swaps=rounds)).error for rounds in (0, 1, 3)]
    assert errors[0] > errors[1] >= errors[2]


@pytest.mark.parametrize("name", ["semantic", "equality", "random", "vectors"])
@given(found=rows, k=st.integers(2, 5), rounds=st.integers(1, 3), neighbours=st.integers(1, 13))
@settings(max_examples=25, deadline=None)
def test_swaps_are_those_that_whole_costs_give(name, found, k, rounds, neighbours):
    matrix = DISTANCES[name](profiles(found)).matrix()
    before = mdav(MatrixSpace(matrix), k)
    after = swap(matrix, before, rounds, neighbours)
    assert naive.as_sets(after) == naive.swaps(matrix.tolist(), before.tolist(), rounds, neighbours)
    assert (np.bincount(after) == np.bincount(before)).all()


def test_fewer_users_than_k_are_one_clear_sentence():
    with pytest.raises(InputError, match="The log has 3 users, and a cluster needs k = 4"):
        partition(RandomDistance(3), 4)
    with pytest.raises(InputError, match="they need 2k users"):
        partition(RandomDistance(30), 4, PartitionSettings(exact=5))


def test_one_cluster_where_there_are_fewer_than_2k_users():
    assert partition(RandomDistance(7), 4).sizes.tolist() == [7]


def test_one_user_more_can_change_half_of_the_clusters():
    """Why MDAV is no step towards differential privacy (docs/decisions/0017)."""
    line = np.arange(12, dtype=float)[:, None]
    before = naive.as_sets(mdav(MatrixSpace(VectorDistance(line).matrix()), 2))
    after = mdav(MatrixSpace(VectorDistance(np.vstack([line, [[-1.0]]])).matrix()), 2)
    unchanged = before & naive.as_sets(after)
    assert len(unchanged) <= len(before) // 2
