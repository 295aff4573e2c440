"""Concepts: the uni-, bi- and trigrams that enough users typed, weighed by frequency and mutual information.

Counts are taken over distinct queries (each n-gram once per query), so that one person's repetitions weigh
nothing. Probabilities are counts over the number of words of all distinct queries, as Church and Hanks do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.low_content import LOW_CONTENT
from crowdlog.artifacts.semantic.proper_nouns import is_proper_noun, places_of
from crowdlog.artifacts.semantic.vectors import WEIGHT_UNIT, Ints, Longs
from crowdlog.artifacts.semantic.word_rule import PAPER, WordRule
from crowdlog.artifacts.semantic.words import QueryUsers, QueryWords

Flags = NDArray[np.bool_]
_NONE = np.int32(-1)


@dataclass(frozen=True, repr=False)
class Grams:
    """n-grams of one length: `at[p]` is the number of the n-gram that begins at word p (−1: none), with
    queries and users of each.
    """

    at: Ints
    queries: Longs
    users: Longs


@dataclass(frozen=True, repr=False)
class Concepts:
    """`weight` of each concept in 1/4096; `at[n]` gives the concept of n + 1 words that begins at each word
    of the log (−1: none).
    """

    weight: Longs
    at: tuple[Ints, Ints, Ints]
    blocked: Flags  # for every word of the log: queries that hold it are compared with nothing


@njit(cache=True)
def count_grams(
    start: Longs, at: Ints, n_grams: int, ustart: Longs, user: Ints, n_users: int
) -> tuple[Longs, Longs]:
    """Distinct queries and distinct users of every n-gram."""
    queries, last = np.zeros(n_grams, np.int64), np.full(n_grams, -1, np.int32)
    for q in range(len(start) - 1):
        for p in range(start[q], start[q + 1]):
            if at[p] >= 0 and last[at[p]] != q:
                last[at[p]] = q
                queries[at[p]] += 1
    first = np.zeros(n_grams + 1, np.int64)
    first[1:] = np.cumsum(queries)
    place, member = first[:-1].copy(), np.empty(first[-1], np.int32)
    last[:] = -1
    for q in range(len(start) - 1):
        for p in range(start[q], start[q + 1]):
            if at[p] >= 0 and last[at[p]] != q:
                last[at[p]] = q
                member[place[at[p]]] = q
                place[at[p]] += 1
    users, seen = np.zeros(n_grams, np.int64), np.full(n_users, -1, np.int32)
    for g in range(n_grams):
        for q in member[first[g] : first[g + 1]]:
            for i in range(ustart[q], ustart[q + 1]):
                if seen[user[i]] != g:
                    seen[user[i]] = g
                    users[g] += 1
    return queries, users


@njit(cache=True)
def _followed(start: Longs, before: Ints, word: Ints, words: int, length: int) -> Longs:
    """The key of (n-gram at p, word at p + length) for every p where both are frequent and in one query; −1
    elsewhere.
    """
    key = np.full(len(word), -1, np.int64)
    for q in range(len(start) - 1):
        for p in range(start[q], start[q + 1] - length):
            if before[p] >= 0 and word[p + length] >= 0:
                key[p] = np.int64(before[p]) * words + word[p + length]
    return key


def _keep(at: Ints, kept: Flags) -> Ints:
    """Number the kept n-grams anew; the others become −1."""
    # the last entry serves −1
    number = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)
    return number[at]


class ConceptMiner:
    """Finds the frequent n-grams one length after the other: an n-gram of at least m users is made of shorter
    ones of at least m users.
    """

    def __init__(self, words: QueryWords, users: QueryUsers, min_users: int, rule: WordRule = PAPER) -> None:
        self._words, self._users, self._min = words, users, min_users
        queries, heads = self._counted(words.word, len(words.text))
        self.typed_by = heads  # how many people typed each word
        self.blocked = rule.blocked(words.text, heads)
        frequent = heads >= min_users
        self._spelling: list[str] = words.text.filter(frequent).to_pylist()
        self.one = Grams(_keep(words.word, frequent), queries[frequent], heads[frequent])
        self.two, self.pairs = self._longer(self.one, 1)
        self.three, self.triples = self._longer(self.two, 2)

    def _counted(self, at: Ints, n: int) -> tuple[Longs, Longs]:
        queries, users = count_grams(
            self._words.start, at, n, self._users.start, self._users.user, self._users.users
        )
        return queries, users

    def _longer(self, shorter: Grams, length: int) -> tuple[Grams, Longs]:
        """The frequent n-grams one word longer, and for each the key (shorter n-gram, last word)."""
        key = _followed(self._words.start, shorter.at, self.one.at, len(self._spelling), length)
        found = np.flatnonzero(key >= 0)
        keys, number = np.unique(key[found], return_inverse=True)
        at = np.full(len(key), _NONE)
        at[found] = number
        queries, users = self._counted(at, len(keys))
        frequent = users >= self._min
        return Grams(_keep(at, frequent), queries[frequent], users[frequent]), keys[frequent]

    def concepts(self) -> Concepts:
        """Leave out what is made of proper nouns and low-content words only, and the places of several words;
        weigh the rest.
        """
        n = len(self._spelling)
        plain = np.array(
            [word not in LOW_CONTENT and not is_proper_noun(word) for word in self._spelling], bool
        )
        first, second = self.pairs // max(n, 1), self.pairs % max(n, 1)
        head, third = self.triples // max(n, 1), self.triples % max(n, 1)
        kept = (
            plain,
            (plain[first] | plain[second]) & ~np.isin(self.pairs, self._place_keys(2)),
            (plain[first[head]] | plain[second[head]] | plain[third])
            & ~np.isin(self.triples, self._place_keys(3)),
        )
        weight = [w[k] for w, k in zip(self._weights(first, second, head, third), kept, strict=True)]
        offset = np.cumsum([0, *(len(w) for w in weight)])
        at = [_keep(grams.at, k) for grams, k in zip((self.one, self.two, self.three), kept, strict=True)]
        shifted = [np.where(a >= 0, a + np.int32(o), _NONE) for a, o in zip(at, offset, strict=False)]
        return Concepts(np.concatenate(weight), (shifted[0], shifted[1], shifted[2]), self.blocked)

    def _weights(self, first: Longs, second: Longs, head: Longs, third: Longs) -> list[Longs]:
        """Formulas of seed 004 §3.1, rounded to 1/4096 and at least that."""
        total = max(len(self._words.word), 1)
        p1, p2, p3 = (grams.queries / total for grams in (self.one, self.two, self.three))
        # as frequent as the trigram: it is there
        last_two = p2[np.searchsorted(self.pairs, second[head] * len(self._spelling) + third)]
        x, y, z = p1[first[head]], p1[second[head]], p1[third]
        real = (
            np.log2(self.one.queries + 1),
            np.log2(p2 / (p1[first] * p1[second]) + 1),
            np.log2(p3 / (x * y * z + x * last_two + p2[head] * z) + 1),
        )
        return [np.maximum(np.rint(w * WEIGHT_UNIT), 1).astype(np.int64) for w in real]

    def _place_keys(self, length: int) -> Longs:
        """The keys of the places whose name has two or three words."""
        number = {word: i for i, word in enumerate(self._spelling)}
        keys = []
        for place in places_of(length):
            spelled = [number.get(word, -1) for word in place]
            if min(spelled) >= 0:
                keys.append(self._key(spelled))
        return np.array([key for key in keys if key >= 0], np.int64)

    def _key(self, spelled: list[int]) -> int:
        """The key of a bigram, or of a trigram whose first two words are a frequent bigram (−1 if they are
        not).
        """
        n = len(self._spelling)
        pair = spelled[0] * n + spelled[1]
        if len(spelled) == 2:
            return pair
        i = int(np.searchsorted(self.pairs, pair))
        return i * n + spelled[2] if i < len(self.pairs) and self.pairs[i] == pair else -1
