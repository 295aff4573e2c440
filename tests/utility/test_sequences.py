from crowdlog.measure.ragged import from_rows
from crowdlog.utility.sequences import LONGEST, prefixes, sessions_of
from tests.support.small_logs import queries_log


def test_next_pages_count_once_and_single_queries_are_left_out():
    lists, numbers = sessions_of(queries_log([[1, 1, 2], [3], [4, 4], [5, 6, 5]]))
    assert [lists[i].tolist() for i in range(len(lists))] == [[1, 2], [5, 6, 5]]
    assert numbers.tolist() == [0, 3]


def test_very_long_sessions_are_cut():
    lists, _numbers = sessions_of(queries_log([list(range(3 * LONGEST))]))
    assert lists[0].tolist() == list(range(LONGEST))


def test_each_prefix_asks_for_the_rest():
    topics = prefixes(from_rows([0, 0, 0, 1, 1, 1], [7, 8, 9, 5, 6, 5], 2))
    asked = [
        (int(topics.queries[i][0]), topics.relevant[i].tolist(), int(topics.group[i]))
        for i in range(len(topics))
    ]
    assert asked == [(7, [8, 9], 0), (8, [9], 0), (5, [6], 1), (6, [5], 1)]
