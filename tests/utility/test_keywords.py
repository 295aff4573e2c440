"""The absorbing walk against the linear equations it solves."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.errors import InputError
from crowdlog.utility.context import Settings
from crowdlog.utility.keywords import ALPHA, GAMMA, above_elsewhere, relevance
from crowdlog.utility.registry import score

QUERIES, URLS = 14, 9


def solved(clicks, concept):
    """p(q) = (1−α) Σ w(q,u) p(u); p(u) = 1 in the concept, else (1−α) Σ w(u,q) p(q)."""
    n = QUERIES + URLS
    step = np.zeros((n, n))
    step[:QUERIES, QUERIES:] = clicks / np.maximum(clicks.sum(axis=1, keepdims=True), 1)
    step[QUERIES:, :QUERIES] = (clicks / np.maximum(clicks.sum(axis=0), 1)).T
    fixed = np.zeros(n)
    fixed[QUERIES:] = concept
    step[QUERIES:][concept.astype(bool)] = 0
    return np.linalg.solve(np.eye(n) - (1 - ALPHA) * step, fixed)[:QUERIES]


def test_relevance_is_the_chance_of_absorption():
    draws = np.random.default_rng(7)
    for _ in range(5):
        clicks = draws.poisson(0.35, (QUERIES, URLS)) * draws.integers(1, 9, (QUERIES, URLS)).astype(float)
        concepts = np.zeros((URLS, 2))
        concepts[0, 0] = concepts[1, 0] = concepts[2, 1] = 1
        found = relevance(csr_array(clicks), concepts)
        for i in range(2):
            assert found[:, i] == pytest.approx(solved(clicks, concepts[:, i]), abs=GAMMA)


def test_a_query_that_leads_only_there_belongs():
    found = relevance(csr_array(np.array([[5.0, 0.0], [1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])), np.array([[1], [0]]))[:, 0]
    assert found[0] == pytest.approx(1 - ALPHA)
    assert found[0] > found[1] > found[2] > 0.9  # the only way out of the other site leads back
    assert found[3] == 0


def test_where_every_walk_ends_alike_nothing_is_a_keyword():
    """All queries lead everywhere; only the last leads to the concept alone."""
    clicks, concepts = np.ones((40, 20)), np.zeros((20, 1))
    clicks[-1], concepts[0] = 0, 1
    clicks[-1, 0] = 5
    chance = relevance(csr_array(clicks), concepts)
    assert (chance > 0.9).all()
    gained = above_elsewhere(chance, csr_array(clicks), concepts)
    assert (np.abs(gained[:-1]) < 0.06).all()
    assert gained[-1] > 0.9


def test_elsewhere_is_the_same_part_of_the_graph():
    """Two parts: in the first nothing but the concept was clicked, so a walk cannot begin elsewhere; the second never gets there."""
    clicks, concepts = csr_array(np.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])), np.array([[1], [0]])
    gained = above_elsewhere(relevance(clicks, concepts), clicks, concepts)[:, 0]
    assert gained == pytest.approx([1 - ALPHA, 0, 0])


def test_rare_edges_are_left_out_of_both_graphs(make_store, make_release):
    rows = [(str(i), 60 * i, "boots", 1, "http://shoes.com" if i < 12 else f"http://other{i}.com") for i in range(20)]
    store = make_store(rows)
    release = make_release(store.info.id, clicks=[("boots", "http://shoes.com", 11), ("noise", "http://shoes.com", 9)])
    for fewest, found in ((10, (1, 1, 1)), (1, (2, 0, 0))):
        settings = Settings(concepts={"shoes": ["shoes.com"]}, fewest_clicks=fewest)
        concept = score(release, store, on=["keywords:overlap@0.95"], settings=settings)[0].details["concepts"][0]
        assert (concept["released"], concept["original"], concept["in_both"]) == found


@pytest.fixture
def store(make_store):
    clicks = [("boots", "http://www.shoes.com"), ("shoes", "http://www.shoes.com"), ("sandals", "http://shoes.com/sale"), ("bank", "http://bank.com")]
    return make_store([(str(i), 60 * i, query, 1, url) for i, (query, url) in enumerate(clicks * 2)])


def test_keywords_of_a_concept(store, make_release):
    release = make_release(store.info.id, clicks=[("boots", "http://www.shoes.com", 2), ("fake", "http://www.shoes.com", 1)])
    found = {
        entry.name: entry
        for entry in score(release, store, on=["keywords"], settings=Settings(concepts={"shoes": ["www.shoes.com"]}, fewest_clicks=1))
    }
    overlap, kept = found["keywords:overlap@0.5"], found["keywords:kept@0.95"]
    assert overlap.details["concepts"] == [{"concept": "shoes", "released": 2, "original": 3, "in_both": 1}]
    assert overlap.value == 0.5
    assert overlap.evaluated == 2
    assert overlap.interval[0] <= 0.5 <= overlap.interval[1]
    assert kept.value == pytest.approx(1 / 3)


def test_without_concepts_the_most_clicked_sites_are_taken(store, make_release):
    release = make_release(store.info.id, clicks=[("bank", "http://bank.com", 2)])
    entry = score(release, store, on=["keywords:overlap@0.5"], settings=Settings(fewest_clicks=1))[0]
    assert [row["original"] for row in entry.details["concepts"]] == [3, 1]
    assert [row["released"] for row in entry.details["concepts"]] == [0, 1]
    assert "shoes" not in str(entry)


def test_a_concept_nobody_clicked_is_refused(store, make_release):
    release = make_release(store.info.id, clicks=[("bank", "http://bank.com", 2)])
    with pytest.raises(InputError, match="'cars' has no site"):
        score(release, store, on=["keywords"], settings=Settings(concepts={"cars": ["cars.com"]}))
