import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.utility.adhoc import ImplicitFeedback, feedback_of, measure, topics_of
from crowdlog.utility.context import Part, Settings
from crowdlog.utility.ragged import one_each
from crowdlog.utility.tables import Tables, counted, pack

from .small_logs import clicks_log


def test_right_is_what_was_clicked():
    topics = topics_of(clicks_log([(3, 1, 1), (3, 0, 2), (3, 1, 1), (5, -1, 0), (1, 2, 4)]))
    assert topics.queries.items.tolist() == [1, 3]
    assert [topics.relevant[i].tolist() for i in range(2)] == [[2], [0, 1]]


def test_feedback_is_the_mean_rank():
    found = feedback_of(clicks_log([(0, 1, 1), (0, 1, 4), (1, 0, 2), (1, 1, 0), (1, -1, 0)]), (2, 2)).toarray()
    assert found.tolist() == [[0, 2.5], [2, 0]]


def test_implicit_feedback_merges_both_orders():
    clicks = counted(pack([0, 0, 0], [0, 1, 2]), np.array([9.0, 5.0, 2.0]))  # O = 1, 2, 3
    ranked = ImplicitFeedback(clicks, csr_array(np.array([[0.0, 1.0, 0.0]])), (1, 3)).rank(one_each([0]))[0].tolist()
    scores = {0: 1 / 2, 1: 0.6 / 2 + 0.4 / 3, 2: 1 / 4}  # S = λ/(I+1) + (1−λ)/(O+1), else 1/(O+1)
    assert ranked == sorted(scores, key=lambda d: -scores[d])
    moved = ImplicitFeedback(clicks, csr_array(np.array([[9.0, 1.0, 0.0]])), (1, 3)).rank(one_each([0]))[0].tolist()
    assert moved == [1, 0, 2]  # URL 0 was found far down: 0.6/10 + 0.4/2 = .26 < .43


def test_a_release_of_everything_scores_as_the_original():
    log = clicks_log([(q, (q * 7 + i) % 11, 1 + i) for q in range(10) for i in range(3)])
    tables = Tables(None, counted(pack(log.query, log.url)), None, None)
    trials = measure(tables, Part(tables, log, (10, 11)), Settings())
    assert set(trials) == {"adhoc:RW", "adhoc:RW-2", "adhoc:IF"}
    for trial in trials.values():
        for metric, scores in trial.released.items():
            assert scores.tolist() == trial.original[metric].tolist()
        assert trial.released["R@10"].mean() == pytest.approx(1.0)


def test_without_clicks_there_is_nothing_to_search():
    nothing = Tables(None, None, None, None)
    assert measure(nothing, Part(nothing, clicks_log([(0, 0, 1)]), (1, 1)), Settings()) == {}
