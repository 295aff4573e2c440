"""Where the queries of a log belong in a tree: by noun phrases (§5.5.1.1) or word by word (§5.4.3)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.noun_phrases import phrase_words
from crowdlog.artifacts.knowledge.tree import Name, Tree
from crowdlog.artifacts.representations import STOP_WORDS, light, stem

Finder = Callable[[str], list[int]]
KEPT = 1 << 17  # words or phrases that are remembered: of ten million queries most phrases occur once


@dataclass(frozen=True, repr=False)
class Mapping:
    """The categories of query q are `category[start[q]:start[q + 1]]`, with repeats."""

    start: NDArray[np.int64]
    category: NDArray[np.int32]

    @property
    def mapped(self) -> NDArray[np.bool_]:
        """Which queries have a category."""
        return np.diff(self.start) > 0


def by_phrases(tree: Tree) -> Finder:
    """The category of each noun phrase of a text.

    A phrase that is not found loses its left-most word until it is found, or nothing is left.
    """

    longest: dict[str, int] = {}  # by the last word, because stems take most of the time
    for name in tree.named:
        longest[name[-1]] = max(longest.get(name[-1], 0), len(name))

    @lru_cache(KEPT)
    def ending(word: str) -> tuple[str, int]:
        last = stem(word)
        return last, longest.get(last, 0)

    def look_up(words: tuple[str, ...]) -> int:
        last, most = ending(words[-1])
        if not most:
            return -1
        if most == 1 or len(words) == 1:
            return tree.named[last,][0] if (last,) in tree.named else -1
        phrase: Name = (*map(stem, words[-most:-1]), last)
        shorter = (phrase[i:] for i in range(len(phrase)))
        return next((tree.named[name][0] for name in shorter if name in tree.named), -1)

    return lambda text: [found for words in phrase_words(text) if (found := look_up(words)) >= 0]


def by_words(tree: Tree, categories: int) -> Finder:
    """The first `categories` categories of each word of a text that is no stop word."""

    @lru_cache(KEPT)
    def look_up(word: str) -> tuple[int, ...]:
        return () if word in STOP_WORDS else tree.named.get((stem(word),), ())[:categories]

    return lambda text: [found for word in light(text).split() for found in look_up(word)]


def map_queries(texts: Iterable[str], find: Finder) -> Mapping:
    """The categories of every text, in order."""
    start, category = array("q", [0]), array("i")  # millions of queries: lists would take ten times as much
    for text in texts:
        category.extend(find(text))
        start.append(len(category))
    return Mapping(np.array(start, np.int64), np.array(category, np.int32))
