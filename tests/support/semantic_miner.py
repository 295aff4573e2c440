"""Semantic k-anonymity from its definition, in plain Python with sets: nothing of the mechanism's code but
the public lists of names and low-content words.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from crowdlog.artifacts.semantic.low_content import LOW_CONTENT
from crowdlog.artifacts.semantic.proper_nouns import is_proper_noun, person_names, places_of

Gram = tuple[str, ...]
Alike = tuple[str, ...]  # queries of one vector


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
        self.near: dict[float, dict[Alike, set[Alike]]] = {}
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
        near = self._affine(theta)
        degree, alive, k = dict.fromkeys(self.users, 0), set(near), 0
        while alive:
            degree.update(dict.fromkeys((query for alike in alive for query in alike), k))
            k += 1
            alive = self._stable(near, alive, k)
        return degree

    def released(self, theta: float, k: int) -> set[str]:
        """The largest set in which every query has k users among the queries of the set that are affine to
        it. Queries of one vector have the same neighbours, so that they stay or go together.
        """
        near = self.near[theta] = self.near.get(theta) or self._affine(theta)
        return {query for alike in self._stable(near, set(near), k) for query in alike}

    def _stable(self, near: dict[Alike, set[Alike]], alive: set[Alike], k: int) -> set[Alike]:
        alive, waiting = set(alive), set(alive)
        while waiting:
            alike = waiting.pop()
            if alike in alive and not self._has(near[alike] & alive, k):
                alive.remove(alike)
                waiting |= near[alike]
        return alive

    def _has(self, around: Iterable[Alike], k: int) -> bool:
        people: set[str] = set()
        for query in (query for alike in around for query in alike):
            people |= self.users[query]
            if len(people) >= k:
                return True
        return False

    def _affine(self, theta: float) -> dict[Alike, set[Alike]]:
        """Queries of one vector; and which of them are affine to which, themselves among them."""
        of_vector: dict[frozenset[Gram], list[str]] = defaultdict(list)
        near: dict[Alike, set[Alike]] = {}
        for query in self.users:
            vector = self.vector(query) if theta < 1 else frozenset()
            if vector:
                of_vector[vector].append(query)
            else:
                near[(query,)] = {(query,)}
        alike = {vector: tuple(queries) for vector, queries in of_vector.items()}
        for vector, others in self._alike_vectors(list(alike), Fraction(str(theta)) ** 2).items():
            near[alike[vector]] = {alike[other] for other in others}
        return near

    def _alike_vectors(
        self, vectors: list[frozenset[Gram]], square: Fraction
    ) -> dict[frozenset[Gram], set[frozenset[Gram]]]:
        """Vectors whose cosine is at least the root of `square`. The common part then has that share of
        each one's own mass at least, so that the most frequent n-grams need not be looked up while they have
        less than that together.
        """
        holding: dict[Gram, list[frozenset[Gram]]] = defaultdict(list)
        for vector in vectors:
            for gram in vector:
                holding[gram].append(vector)
        mass = {gram: self.weight(gram) ** 2 for gram in holding}
        norm = {vector: sum(mass[gram] for gram in vector) for vector in vectors}
        found: dict[frozenset[Gram], set[frozenset[Gram]]] = {}
        for one in vectors:
            left, candidates = norm[one], set()
            for gram in sorted(one, key=lambda gram: len(holding[gram])):
                if left < square * norm[one]:
                    break
                candidates.update(holding[gram])
                left -= mass[gram]
            common = {two: sum(mass[gram] for gram in one & two) for two in candidates}
            found[one] = {two for two, both in common.items() if both**2 >= square * norm[one] * norm[two]}
        return found


def _grams(words: list[str]) -> set[Gram]:
    return {tuple(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1)}
