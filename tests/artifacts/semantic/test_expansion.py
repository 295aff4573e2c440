import pyarrow as pa

from crowdlog.artifacts.semantic.expansion import expand
from crowdlog.artifacts.semantic.words import QueryUsers, split_words
from tests.artifacts.semantic.helpers import rows


def expanded(queries, users, min_users=2):
    return expand(split_words(pa.array(queries)), QueryUsers(*rows(users), 10), min_users)


def test_lone_words_and_queries_without_concept_are_left_out():
    queries = ["cell phone", "cell zzz", "john smith", "phone", "of"]
    assert expanded(queries, [[0, 1], [2], [3, 4], [5, 6], [0, 1, 2]]).query.tolist() == [0, 3]


def test_order_of_words_matters_and_unseen_words_do_not():
    queries = ["cell phone", "phone cell", "cell phone odd", "odd thing"]
    done = expanded(queries, [[0, 1, 2], [1, 3, 4], [5], [5, 6]], min_users=3)
    a, b, c = done.vectors.vector_of.tolist()[:3]
    assert a == c
    assert a != b
    users = done.users.user[done.users.start[a] : done.users.start[a + 1]]
    assert sorted(users.tolist()) == [0, 1, 2, 5]


def test_a_repeated_word_counts_once():
    done = expanded(["case case case case", "case"], [[0, 1], [2, 3]])
    sizes = [int(done.vectors.start[v + 1] - done.vectors.start[v]) for v in done.vectors.vector_of]
    assert sizes == [3, 1]
