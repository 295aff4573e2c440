"""Random walks with restart on the query-flow graph, from the queries that hold a term (Feild 2013, §6.3.1).

u ← (1 − c) Aᵀu + c v with v spread evenly over the queries of the term, c = .1. Rows of A without an edge
lose their mass. r_term = r̂(q'|t)/√r̂_uniform(q'), where the second walk starts anywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.applications.recommendation.graph import QueryGraph
from crowdlog.types import Floats, Ints

RESTART = 0.1
STEPS = 30  # .9³⁰ = .04 of the mass is still on its way; the order of the first hundred no longer changes
KEPT = 100_000  # scores kept for a term, Feild 2013 §6.4.1
ANSWERED = 1_000  # scores of one query that the server sends: the client takes a missing one for 0


def walk_from(graph: QueryGraph, starts: Ints, steps: int = STEPS) -> Floats:
    """Where the walk is."""
    v = np.zeros(len(graph.queries))
    v[starts] = 1 / max(1, len(starts))
    u = v
    for _step in range(steps):
        u = (1 - RESTART) * (graph.back @ u) + RESTART * v
    return u


class TermWalks:
    """Scores of all queries for the terms of a query. Walks are made when a term is first asked for."""

    def __init__(self, graph: QueryGraph, *, most_terms: int = 64) -> None:
        self.graph = graph
        self._uniform = walk_from(graph, np.arange(len(graph.queries)))
        self._walks: dict[str, Any] = {}
        self._most = most_terms  # memory is bounded: the term asked for longest ago is forgotten

    def term(self, term: str) -> tuple[Ints, Floats]:
        """The queries that a term leads to and r_term of each, by number of the query."""
        if term not in self._walks:
            if len(self._walks) >= self._most:
                self._walks.pop(next(iter(self._walks)))
            self._walks[term] = self._walk(term)
        else:
            self._walks[term] = self._walks.pop(term)
        found: tuple[Ints, Floats] = self._walks[term]
        return found

    def _walk(self, term: str) -> tuple[Ints, Floats]:
        starts = self.graph.terms.get(term)
        if starts is None:
            return np.zeros(0, np.int64), np.zeros(0)
        u = walk_from(self.graph, starts)
        scores = np.where(u > 0, u / np.sqrt(np.where(self._uniform > 0, self._uniform, 1)), 0.0)
        reached = np.flatnonzero(scores)
        if len(reached) > KEPT:
            reached = np.sort(reached[np.argpartition(-scores[reached], KEPT)[:KEPT]])
        return reached, scores[reached]

    def query(self, query: str, top: int = ANSWERED) -> list[tuple[str, float]]:
        """r_query: the geometric mean over the terms that the graph knows, made to sum to 1, best first.

        The mean instead of the product: queries of different lengths are added up later. A query that one of
        the known terms does not lead to has no score.
        """
        known = [term for term in dict.fromkeys(query.split()) if term in self.graph.terms]
        if not known:
            return []
        logs = np.zeros(len(self.graph.queries))
        times = np.zeros(len(self.graph.queries), np.int64)
        for term in known:
            reached, scores = self.term(term)
            logs[reached] += np.log(scores)
            times[reached] += 1
        numbers = np.flatnonzero(times == len(known))
        if not len(numbers):
            return []
        scores = np.exp(logs[numbers] / len(known))
        scores /= scores.sum()
        order = np.lexsort((numbers, -scores))[:top]
        return [(self.graph.queries[numbers[i]], float(scores[i])) for i in order]
