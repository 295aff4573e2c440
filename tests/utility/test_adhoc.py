import numpy as np
import pytest

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.tables import Tables, count_keys
from crowdlog.utility.adhoc import feedback_of, measure, searches_of, topics_of
from crowdlog.utility.context import Fold, MeasureSettings
from tests.support.small_logs import arrays, clicks_log


def test_right_is_what_was_clicked():
    topics = topics_of(clicks_log([(3, 1, 1), (3, 0, 2), (3, 1, 1), (5, -1, 0), (1, 2, 4)]))
    assert topics.queries.items.tolist() == [1, 3]
    assert [topics.relevant[i].tolist() for i in range(2)] == [[2], [0, 1]]


def test_a_search_is_one_topic_and_right_is_what_was_clicked_in_it():
    """User 0 clicks twice for one search and searches again later; user 1 searches at the same second."""
    rows = arrays(
        user=np.array([0, 0, 0, 0, 1, 1]),
        time=np.array([5, 5, 5, 9, 5, 6]),
        query=np.array([3, 3, 3, 3, 3, 7]),
        url=np.array([2, 1, 2, 1, 1, -1]),
    )
    topics = searches_of(rows)
    assert topics.queries.items.tolist() == [3, 3, 3]
    assert [topics.relevant[i].tolist() for i in range(3)] == [[1, 2], [1], [1]]
    assert len(searches_of(clicks_log([(5, -1, 0)]))) == 0


def test_a_query_counts_as_often_as_it_was_searched_for():
    """Nine of ten searches are for query 0, whose first URL is the one clicked; per query the log's other
    URLs are missed.
    """
    log = clicks_log([(0, 0, 1)] * 9 + [(1, 2, 1)])
    tables = Tables(None, count_keys(pack(np.array([0, 1]), np.array([0, 1]))), None, None)
    trials = measure(tables, Fold(tables, log, (2, 3)), MeasureSettings(), ("RW",))
    assert trials["adhoc:RW"].released["RR"].mean() == pytest.approx(0.9)
    assert trials["adhoc:RW:per-query"].released["RR"].mean() == pytest.approx(0.5)


def test_feedback_is_the_mean_rank():
    found = feedback_of(
        clicks_log([(0, 1, 1), (0, 1, 4), (1, 0, 2), (1, 1, 0), (1, -1, 0)]), (2, 2)
    ).toarray()
    assert found.tolist() == [[0, 2.5], [2, 0]]


def test_a_release_of_everything_scores_as_the_original():
    log = clicks_log([(q, (q * 7 + i) % 11, 1 + i) for q in range(10) for i in range(3)])
    tables = Tables(None, count_keys(pack(log.query, log.url)), None, None)
    trials = measure(tables, Fold(tables, log, (10, 11)), MeasureSettings())
    models = ("RW", "RW-2", "IF")
    assert list(trials) == [f"adhoc:{model}{unit}" for model in models for unit in ("", ":per-query")]
    for trial in trials.values():
        for metric, scores in trial.released.items():
            assert scores.tolist() == trial.original[metric].tolist()
        assert trial.released["R@10"].mean() == pytest.approx(1.0)


def test_without_clicks_there_is_nothing_to_search():
    nothing = Tables(None, None, None, None)
    assert measure(nothing, Fold(nothing, clicks_log([(0, 0, 1)]), (1, 1)), MeasureSettings()) == {}
