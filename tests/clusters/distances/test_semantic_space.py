"""What inverted lists give is what the definition gives, row by row and cluster by cluster."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.clusters.distances.semantic import SemanticDistance
from crowdlog.clusters.distances.semantic_space import SemanticSpace
from crowdlog.clusters.mdav import mdav
from crowdlog.clusters.profiles import profiles_of
from crowdlog.clusters.space import MatrixSpace


def drawn(seed: int, users: int) -> SemanticDistance:
    """Users of few categories in a tree of three roots; some have none at all."""
    rng = np.random.default_rng(seed)
    parent = np.array([-1, -1, -1, *(rng.integers(0, node) for node in range(3, 40))], np.int32)
    depth = np.ones(len(parent), np.int32)
    for node in range(3, len(parent)):
        depth[node] = depth[parent[node]] + 1
    rows = int(rng.integers(1, 4 * users))
    items = rng.integers(0, len(parent), rows)
    return SemanticDistance(profiles_of(rng.integers(0, users, rows), items, users), parent, depth)


@given(st.integers(0, 10**6), st.integers(2, 40))
@settings(max_examples=60, deadline=None)
def test_rows_are_those_of_the_distance(seed, users):
    distance = drawn(seed, users)
    space, everybody = SemanticSpace(distance), np.arange(users)
    for user in range(users):
        assert space.row(user, everybody).tolist() == distance.row(user, everybody).tolist()


@given(st.integers(0, 10**6), st.integers(6, 60), st.integers(2, 5))
@settings(max_examples=60, deadline=None)
def test_clusters_are_those_of_all_distances(seed, users, k):
    distance = drawn(seed, users)
    matrix = distance.matrix()
    for once in (True, False):
        found = mdav(SemanticSpace(distance), k, once=once)
        assert found.tolist() == mdav(MatrixSpace(matrix), k, once=once).tolist()


def test_the_medoid_found_once_is_exact():
    for seed in range(20):
        distance = drawn(seed, 50)
        everybody = np.arange(50)
        sums = distance.matrix().sum(axis=1, dtype=np.int64)
        assert SemanticSpace(distance).middle(everybody) == int(np.argmin(sums))
