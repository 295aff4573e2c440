import numpy as np
import pytest

from crowdlog.utility.context import Part, Settings
from crowdlog.utility.ragged import from_rows, one_each
from crowdlog.utility.session_search import SessionSearch, measure, topics_of
from crowdlog.utility.tables import Tables, counted, pack, tables_of
from crowdlog.utility.walk import Walk

from .small_logs import sessions_log


def test_topics_are_sessions_with_a_click():
    topics = topics_of(sessions_log([[(0, -1), (1, 5)], [(0, 3)], [(2, -1), (3, -1)], [(2, 4), (3, 4), (2, 1)]]))
    assert [topics.queries[i].tolist() for i in range(len(topics))] == [[0, 1], [2, 3, 2]]
    assert [topics.relevant[i].tolist() for i in range(len(topics))] == [[5], [1, 4]]


def test_the_session_score_is_the_discounted_sum_of_reciprocal_ranks():
    clicks = counted(pack([0, 0, 1, 1, 1], [0, 1, 2, 0, 3]), np.array([9.0, 4.0, 8.0, 5.0, 1.0]))
    search = SessionSearch(Walk(clicks, None, (3, 4)), 4)
    by_query = {0: [0, 1], 1: [2, 0, 3]}
    for session in ([0, 1], [1, 0], [0, 0, 1], [2, 1]):
        score = np.zeros(4)
        for i, query in enumerate(session, 1):
            for place, url in enumerate(by_query.get(query, []), 1):
                score[url] += 0.92 ** (len(session) - i) / place
        ranked = search.rank(from_rows([0] * len(session), session, 1))[0].tolist()
        assert ranked == [url for url in np.argsort(-score, kind="stable").tolist() if score[url] > 0]


def test_a_session_is_known_by_any_of_its_queries():
    search = SessionSearch(Walk(counted(pack([0], [0])), None, (3, 1)), 1)
    assert search.knows(from_rows([0, 0, 1, 1], [2, 0, 1, 2], 2)).tolist() == [True, False]
    assert search.knows(one_each([0])).tolist() == [True]


def test_a_release_of_everything_scores_as_the_original():
    log = sessions_log([[(i % 5, i % 7), ((i + 1) % 5, -1)] for i in range(40)])
    trial = measure(tables_of(log), Part(tables_of(log), log, (5, 7)), Settings())["sessions"]
    assert trial.answered == (40, 40)
    for metric, scores in trial.released.items():
        assert scores.tolist() == pytest.approx(trial.original[metric].tolist())
    assert measure(Tables(None, None, None, None), Part(tables_of(log), log, (5, 7)), Settings()) == {}
