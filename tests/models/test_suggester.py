import math
from itertools import pairwise

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.ragged import one_each
from crowdlog.measure.tables import count_keys
from crowdlog.models.suggester import Suggester

QUERIES, URLS = 15, 10


def matrices(seed):
    draws = np.random.default_rng(seed)
    clicks = draws.poisson(0.4, (QUERIES, URLS)) * draws.integers(1, 30, (QUERIES, URLS))
    flow = draws.poisson(0.2, (QUERIES, QUERIES)) * draws.integers(1, 30, (QUERIES, QUERIES))
    np.fill_diagonal(flow, 0)
    return clicks, flow


def table(matrix):
    rows, columns = np.nonzero(matrix)
    return count_keys(pack(rows, columns), matrix[rows, columns].astype(float))


def plain(clicks, flow, q):
    scores = {}
    for r in range(QUERIES):
        length = math.sqrt((clicks[q] ** 2).sum()) * math.sqrt((clicks[r] ** 2).sum())
        cosine = float(clicks[q] @ clicks[r]) / length if length else 0.0
        follows = flow[q, r] / flow[q].sum() if flow[q].sum() else 0.0
        if r != q and cosine + follows > 0:
            scores[r] = 0.5 * cosine + 0.5 * follows
    return scores


def test_suggestions_are_as_defined():
    for seed in range(5):
        clicks, flow = matrices(seed)
        ranked = Suggester(table(clicks), table(flow), (QUERIES, URLS)).rank(one_each(np.arange(QUERIES)))
        for q in range(QUERIES):
            scores = plain(clicks, flow, q)
            assert sorted(ranked[q].tolist()) == sorted(scores)
            assert all(scores[a] >= scores[b] - 1e-12 for a, b in pairwise(ranked[q].tolist()))


def test_one_source_is_enough():
    clicks, flow = matrices(0)
    known = one_each(np.arange(QUERIES))
    assert (
        Suggester(None, table(flow), (QUERIES, URLS)).knows(known).tolist() == (flow.sum(axis=1) > 0).tolist()
    )
    assert (
        Suggester(table(clicks), None, (QUERIES, URLS)).knows(known).tolist()
        == (clicks.sum(axis=1) > 0).tolist()
    )
