import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform

from crowdlog.errors import InputError
from crowdlog.utility.clustering import clusters, purity, similarity
from crowdlog.utility.context import Settings
from crowdlog.utility.registry import score


def plain_similarity(clicks, v, w):
    common = [q for q in range(len(clicks)) if clicks[q, v] and clicks[q, w]]
    return min(sum(clicks[q, v] for q in common) / clicks[:, v].sum(), sum(clicks[q, w] for q in common) / clicks[:, w].sum())


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


def test_purity_counts_the_most_frequent_class():
    assert purity(np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 6, 7, 7, 8])) == (4, 5)  # the single site does not count
    assert purity(np.array([0, 1]), np.array([0, 0])) == (0, 0)


@pytest.fixture
def store(make_store):
    clicks = [("lyrics", "a.com"), ("lyrics", "b.com"), ("lotto", "c.com"), ("lotto", "d.com"), ("news", "e.com")]
    return make_store([(str(i), i, query, 1, url) for i, (query, url) in enumerate(clicks * 3)])


ALL = [("lyrics", "a.com", 3), ("lyrics", "b.com", 3), ("lotto", "c.com", 3), ("lotto", "d.com", 3), ("news", "e.com", 3)]


def test_a_full_release_finds_the_logs_clusters(store, make_release):
    (found,) = score(make_release(store.info.id, clicks=ALL), store, on=["clustering"])
    assert found.value == 1.0
    assert found.evaluated == 4
    assert (found.details["clusters"], found.details["clusters_of_the_log"], found.details["sites"]) == (2, 2, 5)


def test_wrong_links_cost_purity(store, make_release):
    release = make_release(store.info.id, clicks=[("lyrics", "a.com", 3), ("lyrics", "c.com", 3), ("lyrics", "d.com", 3)])
    (found,) = score(release, store, on=["clustering"])
    assert found.value == pytest.approx(2 / 3)


def test_classes_can_be_given(store, make_release):
    release = make_release(store.info.id, clicks=ALL)
    (found,) = score(
        release, store, on=["clustering"], settings=Settings(site_classes={"a.com": "music", "b.com": "film", "c.com": "luck", "d.com": "luck"})
    )
    assert found.value == 0.75
    with pytest.raises(InputError, match="most clicked sites"):
        score(release, store, on=["clustering"], settings=Settings(site_classes={"zzz.com": "music"}))
