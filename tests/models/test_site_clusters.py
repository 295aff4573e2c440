import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform

from crowdlog.models.site_clusters import clusters, similarity


def plain_similarity(clicks, v, w):
    common = [q for q in range(len(clicks)) if clicks[q, v] and clicks[q, w]]
    return min(
        sum(clicks[q, v] for q in common) / clicks[:, v].sum(),
        sum(clicks[q, w] for q in common) / clicks[:, w].sum(),
    )


def random_clicks(seed):
    draws = np.random.default_rng(seed)
    clicks = draws.poisson(0.4, (30, 12)) * draws.integers(1, 9, (30, 12)).astype(float)
    clicks[0] += clicks.sum(axis=0) == 0
    return clicks


def test_similarity_is_as_defined():
    clicks = random_clicks(1)
    found = similarity(csr_array(clicks))
    for v in range(12):
        for w in range(12):
            assert found[v, w] == pytest.approx(plain_similarity(clicks, v, w))


def test_clusters_are_those_of_single_link():
    for seed in range(5):
        matrix = csr_array(random_clicks(seed))
        distance = 1 - similarity(matrix)
        np.fill_diagonal(distance, 0)
        expected = fcluster(linkage(squareform(distance, checks=False), "single"), 0.5, "distance")
        found = clusters(matrix)
        assert ((found[:, None] == found) == (expected[:, None] == expected)).all()
