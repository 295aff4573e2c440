"""From the concepts of a log to the vectors of its queries: who has one, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from crowdlog.artifacts.semantic.concepts import ConceptMiner, Flags
from crowdlog.artifacts.semantic.core import UserSets, merge_users
from crowdlog.artifacts.semantic.vectors import Ints, Longs, Vectors, build_vectors, take_rows
from crowdlog.artifacts.semantic.word_rule import PAPER, WordRule
from crowdlog.artifacts.semantic.words import QueryUsers, QueryWords


@dataclass(frozen=True, repr=False)
class Expansion:
    """The queries that can be compared (`query`, ascending), their vectors, and the users of each vector.

    `rarest_word`: for every query of the log, how many people typed that of its words which the fewest typed.
    """

    query: Longs
    vectors: Vectors
    users: UserSets
    rarest_word: Longs


@njit(cache=True)
def _expand(
    start: Longs, word: Ints, blocked: Flags, one: Ints, two: Ints, three: Ints
) -> tuple[Longs, Longs, Ints]:
    """The concepts, each once, of every query that has one and no word that is blocked."""
    query, begin = np.empty(len(start) - 1, np.int64), np.zeros(len(start), np.int64)
    concept = np.empty(3 * len(word), np.int32)
    m = n = 0
    for q in range(len(start) - 1):
        alone = False
        for p in range(start[q], start[q + 1]):
            alone |= blocked[word[p]]
        if alone:
            continue
        first = n
        for at in (one, two, three):
            for p in range(start[q], start[q + 1]):
                if at[p] >= 0 and not (concept[first:n] == at[p]).any():
                    concept[n] = at[p]
                    n += 1
        if n > first:
            query[m] = q
            m += 1
            begin[m] = n
    return query[:m].copy(), begin[: m + 1].copy(), concept[:n].copy()


def expand(words: QueryWords, users: QueryUsers, min_users: int, rule: WordRule = PAPER) -> Expansion:
    """Mine the concepts of a log and express its queries in them."""
    miner = ConceptMiner(words, users, min_users, rule)
    concepts = miner.concepts()
    query, start, concept = _expand(words.start, words.word, concepts.blocked, *concepts.at)
    vectors = build_vectors(start, concept, concepts.weight)
    ustart, user = take_rows(users.start, users.user, query)
    merged = merge_users(ustart, user, vectors.vector_of, len(vectors), users.users)
    return Expansion(query, vectors, merged, _rarest(words, miner.typed_by, users.users))


def _rarest(words: QueryWords, typed_by: Longs, users: int) -> Longs:
    """The least over the words of each query; all users for a query without words."""
    rarest = np.full(len(words.start) - 1, users, np.int64)
    np.minimum.at(rarest, words.query, typed_by[words.word])
    return rarest
