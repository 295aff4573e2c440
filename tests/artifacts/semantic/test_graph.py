import numpy as np

from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.graph import build_graph
from crowdlog.artifacts.semantic.theta import Theta
from tests.artifacts.semantic.test_affinity import pairs_of, zipf_vectors


def edges(graph):
    return {(x, int(y)) for x in range(len(graph)) for y in graph.of(x)}


def test_both_directions_of_every_pair():
    vectors = zipf_vectors()
    pairs = AllPairs(vectors, Theta.of(0.9))
    expected = pairs_of(pairs.blocks())
    graph = build_graph(len(vectors), pairs.blocks())
    assert graph.edges == len(expected)
    assert edges(graph) == set(expected) | {(y, x) for x, y in expected}


def test_a_graph_beyond_its_memory_is_the_same():
    vectors = zipf_vectors()
    pairs = AllPairs(vectors, Theta.of(0.9))
    small, large = (
        build_graph(len(vectors), pairs.blocks(), memory=10),
        build_graph(len(vectors), pairs.blocks()),
    )
    assert isinstance(small.neighbour, np.memmap)
    assert not isinstance(large.neighbour, np.memmap)
    assert np.array_equal(small.neighbour, large.neighbour)
