from collections import defaultdict
from math import log2

import numpy as np
import pyarrow as pa
import pytest

from crowdlog.artifacts.semantic.concepts import ConceptMiner
from crowdlog.artifacts.semantic.words import QueryUsers, split_words
from tests.artifacts.semantic.helpers import rows

QUERIES = [
    "cell phone case", "blue cell phone case", "cell phone", "phone case blue", "is a cell phone",
    "is a phone",
    "new york", "new york phone", "salt lake city", "salt lake city phone", "john smith", "john smith phone",
    "case case case",
]  # fmt: skip
USERS = [
    [0, 1],
    [1, 2],
    [2, 3, 4],
    [0, 4],
    [5, 6],
    [5, 1],
    [0, 1],
    [2, 3],
    [3, 4],
    [4, 5],
    [5, 6],
    [6, 0],
    [1, 6],
]


def mined(min_users=2, queries=QUERIES, users=USERS):
    words = split_words(pa.array(queries))
    return words, ConceptMiner(words, QueryUsers(*rows(users), 7), min_users)


def spelled(words, concepts):
    """Each concept's words and weight, read off where it stands in the log."""
    text = [words.text[i].as_py() for i in words.word]
    found = {}
    for length, at in enumerate(concepts.at, 1):
        for p in np.flatnonzero(at >= 0):
            found[" ".join(text[p : p + length])] = concepts.weight[at[p]] / 4096
    return found


def slow_counts():
    queries, users = defaultdict(set), defaultdict(set)
    for q, (query, typed) in enumerate(zip(QUERIES, USERS, strict=True)):
        words = query.split()
        for n in (1, 2, 3):
            for i in range(len(words) - n + 1):
                gram = " ".join(words[i : i + n])
                queries[gram].add(q)
                users[gram] |= set(typed)
    return {g: len(s) for g, s in queries.items()}, {g: len(s) for g, s in users.items()}


def slow_weight(gram, queries):
    total = sum(len(q.split()) for q in QUERIES)
    p = {g: n / total for g, n in queries.items()}
    words = gram.split()
    if len(words) == 1:
        return log2(queries[gram] + 1)
    if len(words) == 2:
        return log2(p[gram] / (p[words[0]] * p[words[1]]) + 1)
    x, y, z = words
    return log2(p[gram] / (p[x] * p[y] * p[z] + p[x] * p[f"{y} {z}"] + p[f"{x} {y}"] * p[z]) + 1)


DROPPED = {"is", "a", "is a", "new york", "salt lake city", "john", "smith", "john smith"}


@pytest.mark.parametrize("min_users", [2, 3, 5])
def test_frequent_grams_with_their_weights(min_users):
    words, miner = mined(min_users)
    queries, users = slow_counts()
    expected = {g: slow_weight(g, queries) for g in queries if users[g] >= min_users and g not in DROPPED}
    found = spelled(words, miner.concepts())
    assert found == pytest.approx(expected, abs=1 / 4096)


def test_a_gram_counts_once_per_query():
    words, miner = mined()
    case = miner.one.at[words.word.tolist().index(words.text.to_pylist().index("case"))]
    assert miner.one.queries[case] == 4


def test_words_of_one_user_are_marked():
    words, miner = mined(queries=["cell phone", "cell zzz"], users=[[0, 1], [2]])
    assert [words.text[i].as_py() for i in np.flatnonzero(miner.blocked)] == ["zzz"]


def test_nothing_frequent_nothing_found():
    words, miner = mined(min_users=50)
    concepts = miner.concepts()
    assert len(concepts.weight) == 0
    assert spelled(words, concepts) == {}
