import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.ragged import from_rows, one_each
from crowdlog.measure.tables import count_keys
from crowdlog.models.session_search import SessionSearch
from crowdlog.models.walk import Walk


def test_the_session_score_is_the_discounted_sum_of_reciprocal_ranks():
    clicks = count_keys(pack([0, 0, 1, 1, 1], [0, 1, 2, 0, 3]), np.array([9.0, 4.0, 8.0, 5.0, 1.0]))
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
    search = SessionSearch(Walk(count_keys(pack([0], [0])), None, (3, 1)), 1)
    assert search.knows(from_rows([0, 0, 1, 1], [2, 0, 1, 2], 2)).tolist() == [True, False]
    assert search.knows(one_each([0])).tolist() == [True]
