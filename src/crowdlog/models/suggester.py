"""Queries that may follow, from a query-flow graph and from common clicks (Zhang 2017, §4.3.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from crowdlog.measure.ragged import Lists, best_of_rows, joined_lists
from crowdlog.measure.tables import KeyCounts
from crowdlog.types import Bools

LAMBDA = 0.5  # not given in the study: both sources weigh the same
DEPTH = 20  # suggestions ranked
BATCH = 500  # a popular site links a query with ten thousands of others


class Suggester:
    """P(q, r) = λ cos(clicks of q, clicks of r) + (1 − λ) e(q, r)/d(q)."""

    def __init__(self, clicks: KeyCounts | None, flow: KeyCounts | None, sizes: tuple[int, int]) -> None:
        n, _urls = sizes
        self._clicks = _rows_of_length_one(_matrix(clicks, sizes), square=True)
        self._flow = _rows_of_length_one(_matrix(flow, (n, n)), square=False)
        self._by_url = self._clicks.T.tocsr()

    def knows(self, queries: Lists) -> Bools:
        """Somebody clicked for the query, or somebody asked something after it."""
        found: Bools = (np.diff(self._clicks.indptr) + np.diff(self._flow.indptr))[queries.items] > 0
        return found

    def rank(self, queries: Lists) -> Lists:
        distinct, which = np.unique(queries.items, return_inverse=True)
        batches = (distinct[i : i + BATCH] for i in range(0, len(distinct), BATCH))
        return joined_lists([best_of_rows(self._scores(batch), DEPTH) for batch in batches]).take(which)

    def _scores(self, queries: Any) -> Any:
        similar = self._clicks[queries] @ self._by_url
        scores = (LAMBDA * similar + (1 - LAMBDA) * self._flow[queries]).tocsr()
        rows = np.repeat(np.arange(len(queries)), np.diff(scores.indptr))
        scores.data[scores.indices == np.asarray(queries)[rows]] = 0  # a query is no suggestion for itself
        scores.eliminate_zeros()
        return scores


def _matrix(table: KeyCounts | None, shape: tuple[int, int]) -> Any:
    return table.matrix(shape) if table is not None else csr_array(shape)


def _rows_of_length_one(matrix: Any, *, square: bool) -> Any:
    """Each row divided by its Euclidean length (square) or its sum."""
    size = np.sqrt(matrix.multiply(matrix).sum(axis=1)) if square else matrix.sum(axis=1)
    return (diags_array(1 / np.where(size > 0, size, 1)) @ matrix).tocsr()
