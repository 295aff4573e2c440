"""The sparse walk against a dense one over all nodes, written from the definition."""

import numpy as np
import pytest

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.ragged import one_each
from crowdlog.measure.tables import count_keys
from crowdlog.models.walk import Walk

QUERIES, URLS = 12, 9


def graph(seed):
    draws = np.random.default_rng(seed)
    clicks = draws.poisson(0.6, (QUERIES, URLS)) * draws.integers(1, 20, (QUERIES, URLS))
    pairs = draws.poisson(0.3, (QUERIES, QUERIES)) * draws.integers(1, 9, (QUERIES, QUERIES))
    np.fill_diagonal(pairs, 0)
    clicks[0] = pairs[0] = 0  # a query nobody clicked for and nothing followed
    return clicks, pairs


def table(matrix):
    rows, columns = np.nonzero(matrix)
    return count_keys(pack(rows, columns), matrix[rows, columns].astype(float))


def dense_walk(clicks, pairs, steps, impact):
    """P(k|j) = (1 − s) C_jk/Σ C_ji, P(j|j) = s; nodes are the queries, then the URLs; a URL keeps what
    arrives.
    """
    n = QUERIES + URLS
    weight = np.zeros((n, n))
    weight[:QUERIES, :QUERIES], weight[:QUERIES, QUERIES:] = pairs, clicks
    chance = np.eye(n)
    factor = np.concatenate([np.ones(QUERIES), 1 + np.log(1 + clicks.sum(axis=0))])
    for j in range(QUERIES):
        if weight[j].sum() == 0:
            continue
        chance[j] = 0.9 * weight[j] / weight[j].sum()
        chance[j, j] = 0.1
        if impact:
            chance[j] = factor * chance[j] / (factor * chance[j]).sum()
    return np.linalg.matrix_power(chance, steps)[:QUERIES, QUERIES:]


@pytest.mark.parametrize("impact", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 3, 8])
def test_the_walk_ends_where_the_dense_one_does(impact, steps):
    for seed in range(5):
        clicks, pairs = graph(seed)
        walk = Walk(table(clicks), table(pairs), (QUERIES, URLS), impact=impact, followed=0.0)
        found = walk.ends(np.arange(QUERIES), steps).toarray()
        assert np.allclose(found, dense_walk(clicks, pairs, steps, impact))


def test_ranking_follows_the_chances():
    clicks, pairs = graph(1)
    walk = Walk(table(clicks), table(pairs), (QUERIES, URLS), followed=0.0)
    ranked = walk.rank(one_each(np.arange(QUERIES)))
    chances = dense_walk(clicks, pairs, 3, impact=False)
    for j in range(QUERIES):
        values = chances[j, ranked[j]]
        assert len(values) == (chances[j] > 0).sum()
        assert (np.diff(values) <= 1e-12).all()


def test_a_query_without_any_edge_is_not_known():
    clicks, pairs = graph(2)
    known = Walk(table(clicks), table(pairs), (QUERIES, URLS)).knows(one_each(np.arange(QUERIES)))
    assert known.tolist() == ((clicks.sum(axis=1) + pairs.sum(axis=1)) > 0).tolist()
    assert not known[0]


def test_clicks_alone_rank_by_count():
    clicks, _pairs = graph(3)
    ranked = Walk(table(clicks), None, (QUERIES, URLS)).rank(one_each(np.arange(QUERIES)))
    for j in range(QUERIES):
        assert (np.diff(clicks[j, ranked[j]]) <= 0).all()


def test_negative_and_zero_counts_are_no_edges():
    noisy = count_keys(pack([1, 1, 2], [0, 1, 1]), np.array([-3.0, 5.0, 0.0]))
    walk = Walk(noisy, None, (QUERIES, URLS))
    assert walk.rank(one_each([1]))[0].tolist() == [1]
    assert walk.knows(one_each([1, 2])).tolist() == [True, False]
