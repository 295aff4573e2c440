import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.models.absorbing_walk import ALPHA, GAMMA, above_elsewhere, relevance

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
    found = relevance(
        csr_array(np.array([[5.0, 0.0], [1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])), np.array([[1], [0]])
    )[:, 0]
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
    """Two parts: in the first nothing but the concept was clicked, so a walk cannot begin elsewhere; the
    second never gets there.
    """
    clicks, concepts = csr_array(np.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])), np.array([[1], [0]])
    gained = above_elsewhere(relevance(clicks, concepts), clicks, concepts)[:, 0]
    assert gained == pytest.approx([1 - ALPHA, 0, 0])
