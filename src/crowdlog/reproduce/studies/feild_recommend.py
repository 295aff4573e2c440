"""What the studies of Feild 2013, chapter 6, have in common: contexts of people outside of the log, graphs of
the log and of its releases, and the reciprocal rank of what the person asked next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crowdlog.applications.recommendation.contexts import same_task_scores
from crowdlog.applications.recommendation.graph import QueryGraph, graph_of_release, graph_of_store
from crowdlog.applications.recommendation.held_out import held_out_contexts
from crowdlog.applications.recommendation.measures import reciprocal_rank
from crowdlog.applications.recommendation.merge import Answer, RecommendationServer, merge_answers
from crowdlog.applications.recommendation.weights import context_weights
from crowdlog.applications.tasks.hard_logs import generated
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.base import Mechanism
from crowdlog.reproduce.bench import SEED, Bench

PEOPLE = 3_000  # of the graph
STRANGERS, CONTEXTS = 2_500, 100  # other people, and how many of their tasks are tried
DRAWS = 3  # of off-task queries for each context; the thesis takes 50
TOP = 10
SETUP = (
    "The thesis takes TREC sessions, the AOL log and documents of ClueWeb09: the rank of the first relevant "
    "document for the top recommendation. Here contexts are tasks of synthetic people whose searches are not "
    "in the graph but who asked next what somebody there asked, too (few do: most are one's own), and "
    "the measure is the reciprocal rank of that query among ten recommendations."
)


class Recommender:
    """Answers of one graph, each query asked once."""

    def __init__(self, graph: QueryGraph, source: str = "walk") -> None:
        self._server = RecommendationServer(graph, source)
        self._answers: dict[str, Answer] = {}

    def rank(self, row: dict[str, Any], model: str) -> float:
        """The reciprocal rank of what was asked next."""
        weights = context_weights(model, row["sametask"])
        answers = [self._answer(query) for query in row["context"]]
        found = merge_answers(answers, weights, TOP + len(row["context"]))
        shown = [query for query, _score in found if query not in row["context"]][:TOP]
        return reciprocal_rank(shown, set(row["later"]))

    def ranks(self, rows: Sequence[dict[str, Any]], model: str) -> list[float]:
        return [self.rank(row, model) for row in rows]

    def _answer(self, query: str) -> Answer:
        if query not in self._answers:
            self._answers[query] = self._server.answer(query)
        return self._answers[query]


def graph_log(bench: Bench) -> LogStore:
    """The log that graphs are made of."""
    people = min(PEOPLE, bench.users)
    return bench.imported("graph", lambda source: synthesize(source, users=people, seed=SEED))


def contexts(bench: Bench) -> list[dict[str, Any]]:
    """Of strangers, where somebody of the log asked what comes next: the same for every noise."""
    known = raw_graph(bench).number
    return held_out_contexts(
        generated("aol", min(STRANGERS, 5 * bench.users), SEED + 1), CONTEXTS, SEED, known
    )


def raw_graph(bench: Bench) -> QueryGraph:
    return graph_of_store(graph_log(bench))


def released_graph(bench: Bench, mechanism: Mechanism) -> QueryGraph | None:
    """None where the release shows nothing."""
    with bench.released(mechanism, graph_log(bench)) as release:
        try:
            return graph_of_release(release)
        except InputError:
            return None


def of_mixed(rows: Sequence[dict[str, Any]], mixed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mixed contexts with the truth of what they were made of, and same-task scores anew."""
    later = {row["id"]: row["later"] for row in rows}
    return [
        {**row, "sametask": same_task_scores(row["context"]), "later": later[row["id"].partition("#")[0]]}
        for row in mixed
    ]
