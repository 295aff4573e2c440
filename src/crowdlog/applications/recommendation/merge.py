"""The two sides of a recommendation: the server answers for single queries, the client merges.

The server sees each query of a context in a request of its own, without an id; whoever watches the times of
requests can still put them together (docs/applications.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crowdlog.applications.frame import Sheet
from crowdlog.applications.recommendation.graph import QueryGraph
from crowdlog.applications.recommendation.overlap import WordOverlap
from crowdlog.applications.recommendation.walk import ANSWERED, TermWalks
from crowdlog.applications.recommendation.weights import BETA, LAMBDA, TAU, context_weights

Answer = list[tuple[str, float]]
SOURCES = ("both", "walk", "overlap")
MIXED = 0.5  # weight of the walk where both are used

SHEET = Sheet(
    artifacts="ordered pairs of queries of a session, queries and their counts",
    global_preprocessing="query-flow graph, term–query graph",
    local_preprocessing="same-task scores of the person's last queries",
    input="a query of the person, after some others",
    request="one query of the context at a time",
    server_processing="random walks with restart from the terms of the query; word overlap",
    response="queries with scores that sum to 1",
    integration="the sum of the answers, weighted by place and by same-task scores",
    output="queries to ask next",
)


class RecommendationServer:
    """Holds a graph of a release, answers for single queries."""

    def __init__(self, graph: QueryGraph, source: str = "both") -> None:
        self._walks = TermWalks(graph) if source != "overlap" else None
        self._overlap = WordOverlap(graph) if source != "walk" else None

    def answer(self, request: str, top: int = ANSWERED) -> Answer:
        """Queries that may follow this one, best first."""
        walked = self._walks.query(request, top) if self._walks is not None else []
        shared = self._overlap.query(request, top) if self._overlap is not None else []
        if self._walks is None or self._overlap is None:
            return walked or shared
        return merge_answers([walked, shared], [MIXED, 1 - MIXED], top)


def merge_answers(answers: Sequence[Answer], weights: Sequence[float], top: int) -> Answer:
    """Σ weight × score of each query; a query that an answer does not name has 0 there. Ties by text."""
    total: dict[str, float] = {}
    for answer, weight in zip(answers, weights, strict=True):
        if weight > 0:
            for query, score in answer:
                total[query] = total.get(query, 0.0) + weight * score
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))[:top]


@dataclass(frozen=True)
class RecommendationClient:
    """One person's context, oldest first, and how surely each query is of the last one's task."""

    context: Sequence[str]
    same_task: Sequence[float]
    model: str = "firm2"
    tau: float = TAU
    beta: float = BETA
    lam: float = LAMBDA
    top: int = 10

    def weights(self) -> list[float]:
        return context_weights(self.model, self.same_task, beta=self.beta, tau=self.tau, lam=self.lam)

    def requests(self) -> list[str]:
        """Only queries that count are asked for: what is off task is not told to the server."""
        return [query for query, weight in zip(self.context, self.weights(), strict=True) if weight > 0]

    def integrate(self, responses: Sequence[Answer]) -> Answer:
        used = [weight for weight in self.weights() if weight > 0]
        return merge_answers(responses, used, self.top)
