"""Semantic k-anonymity from its definition, in plain Python with sets: nothing of the mechanism's code but
the public lists of names and low-content words.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from crowdlog.artifacts.semantic.low_content import LOW_CONTENT
from crowdlog.artifacts.semantic.proper_nouns import is_proper_noun, person_names, places_of

Gram = tuple[str, ...]


class Miner:
    """`typed`: pairs (user, query)."""

    def __init__(self, typed: Iterable[tuple[str, str]], min_users: int, word_users: int, names: str) -> None:
        self.users: dict[str, set[str]] = defaultdict(set)
        for user, query in typed:
            self.users[query].add(user)
        self.people: dict[Gram, set[str]] = defaultdict(set)  # who typed an n-gram
        self.queries: dict[Gram, int] = defaultdict(int)  # in how many queries it stands
        for query, users in self.users.items():
            for gram in _grams(query.split()):
                self.people[gram] |= users
                self.queries[gram] += 1
        self.words = sum(len(query.split()) for query in self.users)
        self.min_users, self.word_users, self.names = min_users, word_users, names
        self.places = {place for length in (2, 3) for place in places_of(length)}

    def is_alone(self, query: str) -> bool:
        """Whether a word of this query keeps it from being compared with others."""
        words = query.split()
        rare = any(len(self.people[(word,)]) < self.word_users for word in words)
        return rare or (self.names == "block" and any(word in person_names() for word in words))

    def weight(self, gram: Gram) -> int:
        """In 1/4096; formulas of the paper's §3.1."""
        share = lambda *words: self.queries[words] / self.words  # noqa: E731
        if len(gram) == 1:
            real = math.log2(self.queries[gram] + 1)
        elif len(gram) == 2:
            x, y = gram
            real = math.log2(share(x, y) / (share(x) * share(y)) + 1)
        else:
            x, y, z = gram
            apart = share(x) * share(y) * share(z) + share(x) * share(y, z) + share(x, y) * share(z)
            real = math.log2(share(x, y, z) / apart + 1)
        return max(round(real * 4096), 1)

    def vector(self, query: str) -> frozenset[Gram]:
        """The concepts of a query; none if it stands alone."""
        if self.is_alone(query):
            return frozenset()
        return frozenset(filter(self._is_concept, _grams(query.split())))

    def _is_concept(self, gram: Gram) -> bool:
        dull = all(word in LOW_CONTENT or is_proper_noun(word) for word in gram)
        return len(self.people[gram]) >= self.min_users and not dull and gram not in self.places

    def degrees(self, theta: float) -> dict[str, int]:
        """The largest k for which each query is released."""
        near = self._affine(Fraction(str(theta)))
        degree, alive, k = dict.fromkeys(self.users, 0), set(self.users), 1
        while alive:
            while weak := [q for q in alive if len(self._around(near[q] & alive)) < k]:
                alive -= set(weak)
            degree.update(dict.fromkeys(alive, k))
            k += 1
        return degree

    def _affine(self, theta: Fraction) -> dict[str, set[str]]:
        near = {query: {query} for query in self.users}
        holding: dict[Gram, list[str]] = defaultdict(list)
        vectors = {query: self.vector(query) for query in self.users}
        for query, vector in vectors.items():
            for gram in vector:
                holding[gram].append(query)
        mass = {gram: self.weight(gram) ** 2 for gram in holding}
        pairs = {pair for queries in holding.values() for pair in combinations(sorted(queries), 2)}
        for a, b in pairs:
            both, one, two = (
                sum(mass[g] for g in s) for s in (vectors[a] & vectors[b], vectors[a], vectors[b])
            )
            if theta < 1 and both**2 >= theta**2 * one * two:
                near[a].add(b)
                near[b].add(a)
        return near

    def _around(self, queries: set[str]) -> set[str]:
        return set().union(*(self.users[query] for query in queries))


def _grams(words: list[str]) -> set[Gram]:
    return {tuple(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)}
