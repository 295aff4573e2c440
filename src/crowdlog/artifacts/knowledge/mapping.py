"""Where the queries of a log belong in a tree: by noun phrases (§5.5.1.1) or word by word (§5.4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.knowledge.noun_phrases import noun_phrases
from crowdlog.artifacts.knowledge.tree import Name, Tree
from crowdlog.artifacts.representations import STOP_WORDS, light, stem

Finder = Callable[[str], list[int]]


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
    known: dict[Name, int] = {}

    def look_up(phrase: Name) -> int:
        if phrase not in known:
            shorter = (phrase[i:] for i in range(len(phrase)))
            known[phrase] = next((tree.named[name][0] for name in shorter if name in tree.named), -1)
        return known[phrase]

    return lambda text: [found for phrase in noun_phrases(text) if (found := look_up(phrase)) >= 0]


def by_words(tree: Tree, categories: int) -> Finder:
    """The first `categories` categories of each word of a text that is no stop word."""
    known: dict[str, tuple[int, ...]] = {}

    def look_up(word: str) -> tuple[int, ...]:
        if word not in known:
            known[word] = () if word in STOP_WORDS else tree.named.get((stem(word),), ())[:categories]
        return known[word]

    return lambda text: [found for word in light(text).split() for found in look_up(word)]


def map_queries(texts: Iterable[str], find: Finder) -> Mapping:
    """The categories of every text, in order."""
    found = [find(text) for text in texts]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(each) for each in found], dtype=np.int64)])
    flat: Any = [category for each in found for category in each]
    return Mapping(start, np.array(flat, np.int32))
