"""Plain word overlap: the baseline that a graph must beat, and half of what beats it.

A query is as likely as it shares rare words with the context: Σ idf of the shared words over those of the
candidate, times its popularity a little. Later words of a context count more (the weights of a model).
"""

from __future__ import annotations

import numpy as np

from crowdlog.applications.recommendation.graph import QueryGraph

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
        scores = np.zeros(len(self._graph.queries))
        asked = 0.0
        for term in dict.fromkeys(query.split()):
            if term in self._graph.terms:
                scores[self._graph.terms[term]] += self._idf[term]
                asked += self._idf[term]
        scores = scores / np.sqrt(np.maximum(self._whole * max(asked, 1e-9), 1e-9)) * self._popular
        itself = self._graph.number.get(query)
        if itself is not None:
            scores[itself] = 0
        numbers = np.flatnonzero(scores)
        if not len(numbers):
            return []
        order = numbers[np.lexsort((numbers, -scores[numbers]))[:top]]
        whole = scores[order].sum()
        return [(self._graph.queries[i], float(scores[i] / whole)) for i in order]
