import json
from pathlib import Path

import numpy as np
import pytest

from crowdlog.applications.frame import run
from crowdlog.applications.recommendation.graph import build_graph, graph_of_pairs, load_graph
from crowdlog.applications.recommendation.merge import (
    RecommendationClient,
    RecommendationServer,
    merge_answers,
)
from crowdlog.applications.recommendation.walk import RESTART, TermWalks, walk_from
from crowdlog.errors import InputError

VECTORS = json.loads(
    (Path(__file__).parents[2] / "vectors" / "recommend-v1.json").read_text(encoding="utf-8")
)


@pytest.fixture
def graph():
    """Flights lead to hotels and cars; gardens to hoses."""
    pairs = [
        ("cheap flights", "cheap hotels", 3.0),
        ("cheap flights", "rental cars", 1.0),
        ("cheap hotels", "rental cars", 1.0),
        ("garden", "garden hose", 2.0),
    ]
    first, second, weight = zip(*pairs, strict=True)
    return graph_of_pairs(list(first), list(second), np.array(weight), {"garden": 5.0})


def test_one_walk_by_hand(graph):
    """From garden: u settles at v's share of .1 · Σ (.9 A)ᵗ; garden hose has no way out."""
    start = graph.number["garden"]
    u = walk_from(graph, np.array([start]), steps=200)
    assert u[start] == pytest.approx(RESTART)
    assert u[graph.number["garden hose"]] == pytest.approx(0.9 * RESTART)
    assert u.sum() == pytest.approx(1.9 * RESTART)


def test_a_query_is_the_geometric_mean_of_its_terms(graph):
    walks = TermWalks(graph)
    found = dict(walks.query("cheap flights"))
    assert sum(found.values()) == pytest.approx(1)
    reached, scores = walks.term("cheap")
    cheap = dict(zip(reached.tolist(), scores.tolist(), strict=True))
    reached, scores = walks.term("flights")
    flights = dict(zip(reached.tolist(), scores.tolist(), strict=True))
    both = {q: np.sqrt(cheap[q] * flights[q]) for q in cheap if q in flights}
    whole = sum(both.values())
    for number, score in both.items():
        assert found[graph.queries[number]] == pytest.approx(score / whole)
    assert walks.query("unknown words") == []


def test_the_integration_by_hand():
    """Weights .8 and 1 of two answers: a .48, b .32 + .7, c .3."""
    merged = merge_answers([[("a", 0.6), ("b", 0.4)], [("b", 0.7), ("c", 0.3)]], [0.8, 1.0], 10)
    assert [query for query, _score in merged] == ["b", "a", "c"]
    assert [score for _query, score in merged] == pytest.approx([1.02, 0.48, 0.3])
    for row in VECTORS["merges"]:
        merged = merge_answers(row["answers"], row["weights"], row["top"])
        assert [list(one) for one in merged] == [
            [query, pytest.approx(score)] for query, score in row["merged"]
        ]


def test_what_is_off_task_is_not_asked_for(graph):
    client = RecommendationClient(["garden", "cheap flights"], [0.05, 1.0], "firm2")
    assert client.requests() == ["cheap flights"]
    found = [query for query, _score in run(RecommendationServer(graph, "walk"), client)]
    assert "garden hose" not in found
    assert "cheap hotels" in found


def test_both_sources_answer_where_one_cannot(graph):
    assert RecommendationServer(graph, "overlap").answer("garden tools") != []
    assert RecommendationServer(graph, "both").answer("cheap flights to rome") != []


def test_a_graph_is_saved_and_loaded(graph, tmp_path):
    graph.save(tmp_path / "g.npz")
    again = load_graph(tmp_path / "g.npz")
    assert again.queries == graph.queries
    assert (again.flow != graph.flow).nnz == 0
    (tmp_path / "no.npz").write_text("canary")
    with pytest.raises(InputError, match="is not a query graph"):
        load_graph(tmp_path / "no.npz")


def test_an_empty_graph():
    with pytest.raises(InputError, match="The graph is empty"):
        graph_of_pairs([], [], np.zeros(0), {})


def test_scrubbed_queries_of_a_log_are_not_recommended(tmp_path):
    def graph_of(*queries):
        rows = [f"7\t{text}\t2006-03-01 10:0{at}:00\t\t\n" for at, text in enumerate(queries)]
        header = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
        (tmp_path / "log.tsv").write_text(header + "".join(rows))
        return build_graph(tmp_path / "log.tsv")

    graph = graph_of("a - b", "-", "c d", "-")
    assert sorted(graph.queries) == ["a - b", "c d"]
    edge = graph.flow[graph.number["a - b"], graph.number["c d"]]
    assert (edge, graph.flow.nnz, graph.count.tolist()) == (1, 1, [1, 1])
    assert "-" not in dict(RecommendationServer(graph).answer("c - d"))
    with pytest.raises(InputError, match="The graph is empty"):
        graph_of("-")


def test_walk_and_words_are_joined_in_units_of_their_best_scores():
    graph = graph_of_pairs(["red car", "red car"], ["car wash", "blue sky"], np.array([3.0, 1.0]), {})
    alone = {
        source: dict(RecommendationServer(graph, source).answer("red car")) for source in ("walk", "overlap")
    }
    both = dict(RecommendationServer(graph).answer("red car"))
    assert sum(both.values()) == pytest.approx(1)
    parts = {
        query: 0.1 * alone["walk"].get(query, 0) / max(alone["walk"].values())
        + 0.9 * alone["overlap"].get(query, 0) / max(alone["overlap"].values())
        for query in both
    }
    assert both == pytest.approx({query: part / sum(parts.values()) for query, part in parts.items()})
    assert both["blue sky"] > 0  # no word in common: the walk alone leads there
