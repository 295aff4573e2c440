"""The two sides of a recommendation: the server answers for single queries, the client merges.

The server sees each query of a context in a request of its own, without an id; whoever watches the times of
requests can still put them together (docs/applications.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crowdlog.applications.frame import Sheet
from crowdlog.applications.recommendation.compose import Composer
from crowdlog.applications.recommendation.graph import QueryGraph
from crowdlog.applications.recommendation.overlap import WordOverlap
from crowdlog.applications.recommendation.walk import ANSWERED, TermWalks
from crowdlog.applications.recommendation.weights import BETA, LAMBDA, TAU, context_weights

Answer = list[tuple[str, float]]
AUTO = "auto"
# Weight of the walk where both are used, each in units of its best score. More of it was worse on synthetic
# logs of 2,000 and 6,000 people (seeds 21, 22); on the larger one this much is better than words alone.
MIXED = 0.1
# Weight of what is composed beside both, in units of the best score. Of .4, .7 and 1 this was best for a
# ladder release of 65,000 people (log of seed 1208, tasks of seed 4321), which the docs' figures leave out.
COMPOSED = 0.7
PREPARED = 500  # terms whose walks a server makes before it serves

SHEET = Sheet(
    artifacts="queries, ordered pairs of queries of a session, words and pairs of words, with their counts",
    global_preprocessing="query-flow graph, term–query graph",
    local_preprocessing="same-task scores of the person's last queries",
    input="a query of the person, after some others",
    request="one query of the context at a time",
    server_processing="random walks with restart from the terms of the query; word overlap; composition",
    response="queries with scores that sum to 1",
    integration="the sum of the answers, weighted by place and by same-task scores",
    output="queries to ask next",
)


class RecommendationServer:
    """Holds a graph of a release, answers for single queries."""

    def __init__(self, graph: QueryGraph, source: str = AUTO) -> None:
        if source == AUTO:  # whole queries are what a release has few of
            source = "both" if graph.named is None else "all"
        self._walks = TermWalks(graph) if source in ("all", "both", "walk") else None
        self._overlap = WordOverlap(graph) if source in ("all", "both", "overlap") else None
        self._composer = Composer(graph.words) if source in ("all", "composed") else None

    def prepare(self, terms: int = PREPARED) -> None:
        """Do beforehand what takes longest: the walks of the most frequent terms."""
        if self._walks is not None:
            self._walks.prepare(terms)

    def answer(self, request: str, top: int = ANSWERED) -> Answer:
        """Queries that may follow this one, best first."""
        walked = self._walks.query(request, top) if self._walks is not None else []
        shared = self._overlap.query(request, top) if self._overlap is not None else []
        composed = self._composer.query(request, top) if self._composer is not None else []
        if self._walks is None or self._overlap is None:
            return walked or shared or composed
        found = _mixed([walked, shared], [MIXED, 1 - MIXED], top)
        if self._composer is not None:
            found = _mixed([composed, found], [COMPOSED, 1 - COMPOSED], top)
        return found


def _mixed(answers: Sequence[Answer], weights: Sequence[float], top: int) -> Answer:
    """Answers in units of their best scores, made to sum to 1."""
    both = merge_answers([_scaled(answer) for answer in answers], weights, top)
    whole = sum(score for _query, score in both)
    return [(query, score / whole) for query, score in both]


def _scaled(answer: Answer) -> Answer:
    """In units of the best score, which comes first."""
    return [(query, score / answer[0][1]) for query, score in answer]


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
