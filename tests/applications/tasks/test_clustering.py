import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from crowdlog.applications.tasks.clustering import average_link, single_link


def parts(labels):
    return sorted(tuple(np.flatnonzero(labels == label)) for label in np.unique(labels))


def random_scores(seed):
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 30))
    scores = generator.random((n, n))
    scores = (scores + scores.T) / 2
    np.fill_diagonal(scores, 0)
    return scores, float(generator.random()), generator.integers(-1, 3, n)


@pytest.mark.parametrize(("link", "name"), [(average_link, "average"), (single_link, "single")])
def test_as_scipy(link, name):
    for seed in range(100):
        scores, eta, _known = random_scores(seed)
        distance = 1 - scores
        np.fill_diagonal(distance, 0)
        tree = linkage(squareform(distance, checks=False), name)
        expected = fcluster(tree, 1 - eta, "distance")
        assert parts(link(scores.copy(), np.full(len(scores), -1), eta)) == parts(expected)


@pytest.mark.parametrize("link", [average_link, single_link])
def test_labels_bind(link):
    for seed in range(100):
        scores, eta, known = random_scores(seed)
        found = link(scores.copy(), known, eta)
        for i, j in zip(*np.triu_indices(len(known), 1), strict=True):
            if known[i] >= 0 and known[j] >= 0:
                assert (found[i] == found[j]) == (known[i] == known[j])


def test_gscorelcluster_by_hand():
    """.9 would join 1 and 2, but she said that they are two tasks; .8 joins 3 to the first of them."""
    scores = np.array([[0, 0.9, 0.8], [0.9, 0, 0.3], [0.8, 0.3, 0]])
    free = np.full(3, -1)
    assert single_link(scores.copy(), free, 0.2).tolist() == [0, 0, 0]
    assert single_link(scores.copy(), np.array([4, 7, -1]), 0.2).tolist() == [0, 1, 0]
    # means: 0 and 1 join at .9; with 2 their mean is .55
    assert average_link(scores.copy(), free, 0.56).tolist() == [0, 0, 2]
    assert average_link(scores.copy(), free, 0.55).tolist() == [0, 0, 0]


def test_a_large_task_of_hers_draws_later_searches_by_its_parts():
    """She said that 0 to 3 are one task. 4 and 5 are like 0 and 1 and like neither 2 nor 3: their mean score
    with the whole task is .45, but what 0 and 1 draw is of her task. 6 is like 2: forbidden.
    """
    scores = np.full((7, 7), 0.1)
    for one, other in ((0, 1), (2, 3), (4, 5), (0, 4), (0, 5), (1, 4), (1, 5), (2, 6)):
        scores[one, other] = scores[other, one] = 0.8
    np.fill_diagonal(scores, 0)
    known = np.array([3, 3, 3, 3, -1, -1, 9])
    assert average_link(scores.copy(), known, 0.5).tolist() == [0, 0, 0, 0, 0, 0, 6]
