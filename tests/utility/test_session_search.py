import pytest

from crowdlog.measure.tables import Tables, tables_of
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.session_search import measure, topics_of
from tests.support.small_logs import sessions_log


def test_topics_are_sessions_with_a_click():
    topics = topics_of(
        sessions_log([[(0, -1), (1, 5)], [(0, 3)], [(2, -1), (3, -1)], [(2, 4), (3, 4), (2, 1)]])
    )
    assert [topics.queries[i].tolist() for i in range(len(topics))] == [[0, 1], [2, 3, 2]]
    assert [topics.relevant[i].tolist() for i in range(len(topics))] == [[5], [1, 4]]


def test_a_release_of_everything_scores_as_the_original():
    log = sessions_log([[(i % 5, i % 7), ((i + 1) % 5, -1)] for i in range(40)])
    trial = measure(tables_of(log), Fold(tables_of(log), log, (5, 7)), MeasureSettings())["sessions"]
    assert trial.answered == (40, 40)
    for metric, scores in trial.released.items():
        assert scores.tolist() == pytest.approx(trial.original[metric].tolist())
    assert measure(Tables(None, None, None, None), Fold(tables_of(log), log, (5, 7)), MeasureSettings()) == {}
