import numpy as np
from hypothesis import given

from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.core import UserSets, core_degrees
from crowdlog.artifacts.semantic.graph import build_graph
from crowdlog.artifacts.semantic.neighbourhood import Finder, local_degrees, lower_bounds
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import build_vectors
from tests.artifacts.semantic.helpers import concept_sets, concept_weights, rows, slow_cores, thetas
from tests.artifacts.semantic.test_affinity import zipf_vectors


def user_sets(n, users=40, seed=2):
    rng = np.random.default_rng(seed)
    return UserSets(
        *rows([sorted(set(rng.integers(0, users, rng.integers(1, 4)).tolist())) for _ in range(n)]), users
    )


@given(concept_sets, concept_weights, thetas)
def test_neighbours_of_one_are_those_of_the_graph(sets, weights, theta):
    vectors = build_vectors(*rows([list(s) for s in sets]), np.array(weights, np.int64))
    graph = build_graph(len(vectors), AllPairs(vectors, Theta.of(theta)).blocks())
    finder = Finder(vectors, Theta.of(theta))
    for v in range(len(vectors)):
        assert sorted(finder.neighbours(v).tolist()) == sorted(graph.of(v).tolist())


def test_a_whole_component_gives_the_exact_degrees():
    vectors, theta = zipf_vectors(600), Theta.of(0.9)
    sets = user_sets(len(vectors))
    exact = core_degrees(build_graph(len(vectors), AllPairs(vectors, theta).blocks()), sets)
    finder = Finder(vectors, theta)
    for v in range(0, len(vectors), 50):
        members, degrees = local_degrees(finder, sets, v, len(vectors) + 1)
        assert members[0] == v
        assert degrees.tolist() == exact[members].tolist()


def test_bounds_are_below_the_exact_degrees_and_safe_to_release():
    vectors, theta = zipf_vectors(600), Theta.of(0.8)
    sets = user_sets(len(vectors))
    graph = build_graph(len(vectors), AllPairs(vectors, theta).blocks())
    exact = core_degrees(graph, sets)
    bounds = lower_bounds(Finder(vectors, theta), sets, range(0, len(vectors), 10), 12)
    assert (bounds <= exact).all()
    assert (bounds < exact).any()
    for k in (2, 4, 6):
        kept = set(np.flatnonzero(bounds >= k).tolist())
        near = [set(graph.of(v).tolist()) & kept if v in kept else set() for v in range(len(vectors))]
        users = [set(sets.user[sets.start[v] : sets.start[v + 1]].tolist()) for v in range(len(vectors))]
        cores = slow_cores(near, users)
        assert kept
        assert all(cores[v] >= k for v in kept)
