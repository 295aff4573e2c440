"""Pushed walks are the walks by whole steps, up to what is left."""

import numpy as np
import pytest

from crowdlog.applications.recommendation.graph import graph_of_pairs
from crowdlog.applications.recommendation.overlap import WordOverlap
from crowdlog.applications.recommendation.walk import TermWalks, best_of, pushed, walk_from


def graph_of(n, edges, seed):
    generator = np.random.default_rng(seed)
    names = [f"w{number % 7} q{number}" for number in range(n)]
    first, second = generator.integers(0, n, (2, edges))
    weight = generator.integers(1, 9, edges).astype(float)
    pairs = [(names[a], names[b]) for a, b in zip(first, second, strict=True)]
    asked = dict.fromkeys(names, 1.0)
    return graph_of_pairs([a for a, _b in pairs], [b for _a, b in pairs], weight, asked)


@pytest.mark.parametrize("seed", range(3))
def test_pushed_mass_is_that_of_the_walk(seed):
    graph = graph_of(60, 200, seed)
    starts = graph.terms["w3"]
    exact = walk_from(graph, starts, steps=400)
    reached, mass = pushed(graph, starts)
    assert len(set(reached.tolist())) == len(reached)
    found = np.zeros(len(graph.queries))
    found[reached] = mass
    assert found == pytest.approx(exact, abs=2e-3)
    assert np.argsort(-found)[:10].tolist() == np.argsort(-exact)[:10].tolist()
    assert found.sum() <= 1 + 1e-9


def test_a_chain_by_hand():
    graph = graph_of_pairs(["a", "b"], ["b", "c"], np.ones(2), {})
    reached, mass = pushed(graph, np.array([0]))
    assert reached.tolist() == [0, 1, 2]  # in the order in which they are come to
    assert mass == pytest.approx([0.1, 0.09, 0.081])


def test_the_number_of_pushes_is_bounded():
    graph = graph_of(60, 200, 1)
    starts = graph.terms["w3"]
    reached, _mass = pushed(graph, starts, most=20)
    assert len(starts) <= len(reached) <= 20
    assert len(pushed(graph, starts, most=1)[0]) == len(starts)


def test_a_walk_leaves_nothing_behind_and_memory_is_bounded():
    graph = graph_of(60, 200, 2)
    plain, tight = TermWalks(graph), TermWalks(graph, most_kept=1)
    tight.prepare(3)
    for term in ("w3", "w4", "w3", "q7", "w4"):
        for mine, theirs in zip(plain.term(term), tight.term(term), strict=True):
            assert mine.tolist() == theirs.tolist()
        assert len(tight._walks) == 1
    assert not tight._scratch.rest.any()
    assert not tight._scratch.mass.any()


def test_the_best_are_those_of_a_whole_sort():
    generator = np.random.default_rng(4)
    numbers, scores = generator.permutation(300), generator.integers(0, 9, 300) / 9
    for top in (1, 10, 299, 300, 1000):
        assert best_of(numbers, scores, top).tolist() == np.lexsort((numbers, -scores))[:top].tolist()


def test_terms_that_lead_to_nothing_in_common_have_no_answer():
    graph = graph_of_pairs(["a x", "b y"], ["a z", "b w"], np.ones(2), {})
    walks = TermWalks(graph)
    assert walks.query("a b") == []
    assert {query for query, _score in walks.query("a")} == {"a x", "a z"}
    assert walks.query("unknown") == []


def test_a_query_of_very_many_terms():
    terms = [f"t{number}" for number in range(300)]
    graph = graph_of_pairs([" ".join(terms)], ["t1 other"], np.ones(1), {})
    assert next(query for query, _score in TermWalks(graph).query(" ".join(terms))) == " ".join(terms)


def test_word_overlap_by_hand():
    graph = graph_of_pairs(["red car", "red shoes"], ["car wash", "green car"], np.ones(2), {})
    found = dict(WordOverlap(graph).query("red car", 10))
    assert "red car" not in found
    assert set(found) == {"red shoes", "car wash", "green car"}
    assert sum(found.values()) == pytest.approx(1)
    assert found["red shoes"] > found["car wash"]  # "red" is rarer than "car"
