"""Plain word overlap: the baseline that a graph must beat, and half of what beats it.

A query is as likely as it shares rare words with the context: Σ idf of the shared words over those of the
candidate, times its popularity a little. Later words of a context count more (the weights of a model).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crowdlog.applications.recommendation.graph import QueryGraph
from crowdlog.applications.recommendation.walk import best_of

POPULARITY = 0.1  # how much the logarithm of a query's count adds to its overlap


class WordOverlap:
    """Scores of queries by shared words."""

    def __init__(self, graph: QueryGraph) -> None:
        self._graph = graph
        n = len(graph.queries)
        self._idf = {term: float(np.log(1 + n / len(held))) for term, held in graph.terms.items()}
        self._whole = np.zeros(n)
        for term, held in graph.terms.items():
            self._whole[held] += self._idf[term]
        self._popular = 1 + POPULARITY * np.log1p(graph.count)

    def query(self, query: str, top: int) -> list[tuple[str, float]]:
        """The best queries for one query, with scores that sum to 1; itself is not among them."""
        terms = [term for term in dict.fromkeys(query.split()) if term in self._graph.terms]
        if not terms:
            return []
        numbers, shared = _shared(
            len(self._whole),
            np.concatenate([self._graph.terms[term] for term in terms]),
            np.cumsum([len(self._graph.terms[term]) for term in terms]),
            np.array([self._idf[term] for term in terms]),
        )
        asked = sum(self._idf[term] for term in terms)
        scores = shared / np.sqrt(self._whole[numbers] * asked) * self._popular[numbers]
        itself = self._graph.number.get(query)
        others = numbers != (-1 if itself is None else itself)
        numbers, scores = numbers[others], scores[others]
        if not len(numbers):
            return []
        best = best_of(numbers, scores, top)
        whole = scores[best].sum()
        return [(self._graph.queries[numbers[i]], float(scores[i] / whole)) for i in best]


@njit(cache=True, nogil=True)
def _shared(size, held, ends, weight):  # type: ignore[no-untyped-def]
    """The queries that hold any of some terms, and the sum of the weights of those that each holds.

    `held` has the queries of one term after the other, `ends` where each term's end.
    """
    total = np.zeros(size)  # pages that are not touched are never made
    numbers = np.empty(len(held), np.int64)
    known = term = 0
    for i in range(len(held)):
        while i >= ends[term]:
            term += 1
        if total[held[i]] == 0:
            numbers[known] = held[i]
            known += 1
        total[held[i]] += weight[term]
    return numbers[:known].copy(), total[numbers[:known]]
