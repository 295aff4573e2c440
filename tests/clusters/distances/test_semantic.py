"""Examples 2 to 4 of Erola 2013, §5.5.1, to the last digit."""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.knowledge.mapping import by_phrases, map_queries
from crowdlog.artifacts.knowledge.tree import tree_of_paths
from crowdlog.clusters.distances.base import UNIT
from crowdlog.clusters.distances.semantic import semantic
from crowdlog.clusters.distances.vectors import VectorDistance
from crowdlog.clusters.mdav import mdav
from crowdlog.clusters.profiles import category_profiles, profiles_of
from crowdlog.clusters.space import MatrixSpace
from tests.support.logs import make_log
from tests.support.naive_clusters import as_sets

TREE = tree_of_paths(
    "the paper's",
    [
        (("Sports", "Water Sports", "Diving"), 0),  # the paper's "Swimming and Diving"
        (("Sports", "Water Sports", "Windsurfing"), 0),
        (("Regional", "Europe", "Regions", "Mediterranean"), 0),
    ],
)
DIVING, WINDSURFING, SEA = (TREE.named[(name,)][0] for name in ("dive", "windsurf", "mediterranean"))


def test_example_2_the_categories_of_a_log(tmp_path):
    rows = [("u", "diving in the Mediterranean", 0, None), ("u", "windsurfing in the Mediterranean", 9, None)]
    log = make_log(tmp_path, rows)
    mapping = map_queries(log.query_texts([0, 1]).to_pylist(), by_phrases(TREE))
    found = category_profiles(log, mapping)
    counts = dict(zip(found.item.tolist(), found.weight.tolist(), strict=True))
    assert counts == {DIVING: 1, SEA: 2, WINDSURFING: 1}


def test_example_3_two_water_sports_are_half_apart():
    users = profiles_of(np.array([0, 1]), np.array([DIVING, WINDSURFING]), 2)
    assert semantic(users, TREE).matrix()[0, 1] == UNIT // 2


def test_example_4_two_users_are_a_fifth_apart():
    user, item = np.array([0, 0, 1, 1, 1]), np.array([DIVING, SEA, WINDSURFING, SEA, SEA])
    assert semantic(profiles_of(user, item, 2), TREE).matrix()[0, 1] == UNIT // 5


def test_by_the_length_of_words_flu_is_with_golf():
    lengths = np.array([[float(len(word))] for word in ("flu", "golf", "hypertension", "football")])
    clusters = as_sets(mdav(MatrixSpace(VectorDistance(lengths).matrix()), 2))
    assert clusters == {frozenset({0, 1}), frozenset({2, 3})}


def test_who_maps_to_nothing_is_far_from_all_but_her_like():
    matrix = semantic(profiles_of(np.array([1]), np.array([SEA]), 3), TREE).matrix()
    assert matrix.tolist() == [[0, UNIT, 0], [UNIT, 0, UNIT], [0, UNIT, 0]]
