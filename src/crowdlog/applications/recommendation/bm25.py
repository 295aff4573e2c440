"""BM25 over a small collection of documents (Robertson and Zaragoza 2009; k₁ = 1.2, b = .75)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

K1, B = 1.2, 0.75


class BM25:
    """Ranks documents for a query."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._terms = {name: Counter(text.lower().split()) for name, text in documents.items()}
        self._length = {name: sum(terms.values()) for name, terms in self._terms.items()}
        self._mean = sum(self._length.values()) / max(1, len(self._length))
        self._holders: dict[str, list[str]] = {}
        for name, terms in self._terms.items():
            for term in terms:
                self._holders.setdefault(term, []).append(name)

    def rank(self, query: str) -> list[str]:
        """All documents with a word of the query, best first, ties by name."""
        scores: Counter[str] = Counter()
        n = len(self._terms)
        for term in dict.fromkeys(query.lower().split()):
            held = self._holders.get(term, [])
            idf = math.log(1 + (n - len(held) + 0.5) / (len(held) + 0.5))
            for name in held:
                times = self._terms[name][term]
                norm = K1 * (1 - B + B * self._length[name] / max(self._mean, 1e-9))
                scores[name] += idf * times * (K1 + 1) / (times + norm)  # type: ignore[assignment]
        return sorted(scores, key=lambda name: (-scores[name], name))
