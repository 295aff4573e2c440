import pytest

from crowdlog.applications.recommendation.contexts import mix_contexts, same_task_scores
from crowdlog.applications.recommendation.measures import score_recommendations

DOCS = {"a": "volvo reviews", "b": "volvo trucks", "c": "satellite internet"}


def test_the_studys_mrr():
    """The top recommendation retrieves a and b; a was shown before, so the relevant b is first."""
    recs = [{"id": "1", "recs": [["volvo reviews", 0.9], ["x", 0.1]]}, {"id": "2#4", "recs": []}]
    truth = [
        {"id": "1", "later": ["X"], "shown": ["a"], "relevant": ["b"]},
        {"id": "2", "later": ["y"], "shown": [], "relevant": ["c"]},
    ]
    found = score_recommendations(recs, truth, DOCS)
    assert found["mrr"]["value"] == 0.5  # what has no suggestion counts 0
    assert found["mrr_later"]["value"] == pytest.approx((1 / 2 + 0) / 2)
    assert found["coverage"]["value"] == 0.5
    low, high = found["mrr"]["interval"]
    assert low <= 0.5 <= high


def test_mixed_contexts_keep_order_and_reference():
    contexts = [{"id": str(n), "context": [f"{n}{letter}" for letter in "abc"]} for n in range(4)]
    mixed = mix_contexts(contexts, off=4, draws=5, seed=1)
    assert len(mixed) == 20
    for row in mixed:
        own = row["id"][0]
        assert [query for query in row["context"] if query[0] == own] == [f"{own}{x}" for x in "abc"]
        assert row["context"][-1] == f"{own}c"
        assert len(row["context"]) == 7
    assert mixed == mix_contexts(contexts, off=4, draws=5, seed=1)


def test_same_task_scores():
    scores = same_task_scores(["garden hose", "florida resorts", "florida resort"])
    assert scores[2] == 1
    assert scores[1] > 0.7 > 0.2 > scores[0]


def test_an_interval_is_over_contexts_not_over_their_draws():
    """Fifty draws of one context say no more about other contexts than one does."""
    truth = [{"id": str(n), "later": ["x"]} for n in range(6)]
    answer = {n: [["x", 1.0]] if n % 2 else [] for n in range(6)}
    once = [{"id": str(n), "recs": answer[n]} for n in range(6)]
    drawn = [{"id": f"{n}#{draw}", "recs": answer[n]} for n in range(6) for draw in range(50)]
    one, many = (score_recommendations(recs, truth) for recs in (once, drawn))
    assert one["mrr_later"] == many["mrr_later"]
    assert many["ids"] == 300


def test_a_context_without_a_line_counts_nothing():
    """Who answers the easy contexts alone scores as if the others had no recommendation, and is told so."""
    truth = [{"id": str(n), "later": ["x"], "relevant": ["a"]} for n in range(4)]
    easy = [{"id": f"{n}#{draw}", "recs": [["x", 1.0]]} for n in range(2) for draw in range(3)]
    empty = [{"id": f"{n}#{draw}", "recs": []} for n in range(2, 4) for draw in range(3)]
    left_out, said = (score_recommendations(recs, truth, DOCS) for recs in (easy, easy + empty))
    assert (left_out.pop("unanswered"), said.pop("unanswered")) == (2, 0)
    assert left_out["mrr_later"]["value"] == left_out["coverage"]["value"] == 0.5
    assert left_out.pop("ids") == said.pop("ids") - 6
    assert left_out == said


def test_the_value_is_the_mean_over_ids():
    """Of a context with two draws both count; the interval is that of this mean, drawn over contexts."""
    truth = [{"id": "7", "later": ["x"]}, {"id": "8", "later": ["x"]}]
    recs = [{"id": name, "recs": [[query, 1.0]]} for name, query in [("7#1", "x"), ("7#2", "x"), ("8", "y")]]
    found = score_recommendations(recs, truth)
    assert found["mrr_later"]["value"] == pytest.approx(2 / 3)
    assert found["mrr_later"]["interval"] == (0.0, 1.0)


def test_an_interval_holds_the_mean_of_contexts_with_draws_unlike_in_number():
    truth = [{"id": str(n), "later": ["x"]} for n in range(40)]
    many = [{"id": f"{n}#{draw}", "recs": [["x", 1.0]]} for n in range(20) for draw in range(30)]
    few = [{"id": str(n), "recs": []} for n in range(20, 40)]
    found = score_recommendations(many + few, truth)["mrr_later"]
    low, high = found["interval"]
    assert found["value"] == pytest.approx(600 / 620)
    assert low < found["value"] < high < 1


def test_one_context_has_no_spread():
    found = score_recommendations([{"id": "1", "recs": [["y", 1], ["x", 1]]}], [{"id": "1", "later": ["x"]}])
    assert found["mrr_later"] == {"value": 0.5, "interval": (0.5, 0.5)}
