"""The words of a crowd and which stand behind which: of a release's tables, or of its queries."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

Pair = tuple[str, str]
USUAL = 60  # words that may stand behind any other


@dataclass(frozen=True, repr=False, eq=False)
class CrowdWords:
    """Words and pairs of neighbouring words with the number of people (or searches) that have them."""

    words: Mapping[str, float]
    pairs: Mapping[Pair, float]

    def __repr__(self) -> str:
        return f"CrowdWords({len(self.words)} words, {len(self.pairs)} pairs)"

    def as_json(self) -> list[Any]:
        return [dict(self.words), [[*pair, count] for pair, count in self.pairs.items()]]

    @classmethod
    def of_json(cls, data: Any) -> CrowdWords:
        words, pairs = dict(data[0]), {(first, second): count for first, second, count in data[1]}
        texts = [*words, *(word for pair in pairs for word in pair)]
        counts = [*words.values(), *pairs.values()]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("a word that is no text")
        if not all(type(count) in (int, float) and count > 0 for count in counts):
            raise ValueError("a count that is none")
        return cls(words, pairs)

    @cached_property
    def after(self) -> dict[str, dict[str, float]]:
        """The words behind each word, with their counts."""
        found: dict[str, dict[str, float]] = {}
        for (first, second), count in self.pairs.items():
            found.setdefault(first, {})[second] = count
        return found

    @cached_property
    def behind(self) -> dict[str, float]:
        """How often each word stands behind another one; sums to 1."""
        counts: dict[str, float] = {}
        for (_first, second), count in self.pairs.items():
            counts[second] = counts.get(second, 0.0) + count
        total = sum(counts.values())
        return {word: count / total for word, count in counts.items()}

    @cached_property
    def covered(self) -> float:
        """How much of what people put behind a word is named here: 0 where there are no pairs, at most 1.

        The root of pairs for each word: the pairs that a release names first are the ones most used.
        """
        total = sum(self.words.values())
        return min(1.0, math.sqrt(sum(self.pairs.values()) / total)) if total > 0 else 0.0

    @cached_property
    def usual(self) -> list[tuple[str, float]]:
        """The words that stand behind others most often."""
        return heapq.nlargest(USUAL, self.behind.items(), key=lambda item: (item[1], item[0]))


def words_of_queries(queries: Iterable[str], counts: Iterable[float]) -> CrowdWords:
    """Words and neighbours inside of queries."""
    words: dict[str, float] = {}
    pairs: dict[Pair, float] = {}
    for query, count in zip(queries, counts, strict=True):
        if count <= 0:
            continue
        mine = query.split()
        for word in set(mine):
            words[word] = words.get(word, 0.0) + count
        for pair in set(pairwise(mine)):
            pairs[pair] = pairs.get(pair, 0.0) + count
    return CrowdWords(words, pairs)


def words_of_tables(words: Any, pairs: Any, queries: CrowdWords) -> CrowdWords:
    """The tables `words` and `word_pairs` of a release (None: it has none), and what its queries show."""
    known, after = dict(queries.words), dict(queries.pairs)
    if words is not None:
        for word, count in zip(words["word"].to_pylist(), words["count"].to_pylist(), strict=True):
            known[word] = max(known.get(word, 0.0), float(count))
    if pairs is not None:
        columns = (pairs[name].to_pylist() for name in ("word", "next_word", "count"))
        for first, second, count in zip(*columns, strict=True):
            if count > 0:
                after[first, second] = max(after.get((first, second), 0.0), float(count))
    return CrowdWords({word: count for word, count in known.items() if count > 0}, after)
