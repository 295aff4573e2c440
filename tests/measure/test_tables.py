from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.packed_keys import SHIFT, pack
from crowdlog.measure.tables import count_keys, pairs_of, tables_of
from tests.support.small_logs import queries_log, sessions_log


def as_dict(table):
    return {(int(k) // SHIFT, int(k) % SHIFT): n for k, n in zip(table.key, table.count, strict=True)}


@given(st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=6), st.integers(1, 10))
def test_pairs_are_all_ordered_pairs_within_reach(sessions, reach):
    expected = Counter(
        (s[i], s[j])
        for s in sessions
        for i in range(len(s))
        for j in range(i + 1, min(len(s), i + reach + 1))
        if s[i] != s[j]
    )
    assert as_dict(pairs_of(queries_log(sessions), reach=reach)) == expected


def test_tables_of_a_log():
    tables = tables_of(sessions_log([[(1, 1), (2, -1), (3, 3)], [(1, 1), (2, -1)], [(2, -1)]]), users=True)
    assert tables.queries.key.tolist() == [1, 2, 3]
    assert tables.queries.count.tolist() == [2, 3, 1]
    assert as_dict(tables.clicks) == {(1, 1): 2, (3, 3): 1}
    assert as_dict(tables.pairs) == {(1, 2): 2, (2, 3): 1}
    assert as_dict(tables.flow) == {(1, 2): 2, (2, 3): 1, (1, 3): 1}


def test_users_count_once_per_key():
    table = count_keys(np.array([5, 5, 5, 9]), user=np.array([0, 0, 1, 1]))
    assert table.count.tolist() == [3, 1]
    assert table.users.tolist() == [2, 1]


def test_undirected_pairs_add_up():
    assert as_dict(pairs_of(queries_log([[3, 1], [1, 3]]), reach=1, sorted_pair=True)) == {(1, 3): 2}


def test_a_matrix_holds_positive_counts_only():
    table = count_keys(pack([0, 1, 1], [2, 0, 1]), np.array([4.0, -1.0, 2.0]))
    assert table.matrix((2, 3)).toarray().tolist() == [[0, 0, 4], [0, 2, 0]]
    assert repr(table) == "KeyCounts(3 keys)"
