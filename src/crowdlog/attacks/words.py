"""Texts as counted words: how often each occurs and how often two occur in the same query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.types import Floats, Ints


@dataclass(frozen=True)
class WordPlaces:
    """The words of some texts, one entry per place: the number of the text and the code of the word."""

    text: Ints
    code: Ints
    spelling: Any  # of each code

    def __repr__(self) -> str:
        return f"WordPlaces({len(self.spelling)})"


@dataclass(frozen=True)
class FrequentWords:
    """The most frequent words, falling: their codes, shares of all impressions, and shares of their impressions beside each other."""

    code: Ints
    share: Floats
    beside: Floats

    def __repr__(self) -> str:
        return f"FrequentWords({len(self.code)})"


def split(texts: Any) -> WordPlaces:
    """Split at blanks."""
    import pyarrow.compute as pc

    lists: Any = pc.split_pattern(texts, " ")
    coded = lists.flatten().dictionary_encode()
    text = np.repeat(np.arange(len(texts)), np.diff(lists.offsets.to_numpy()))
    return WordPlaces(text, coded.indices.to_numpy().astype(np.int64), coded.dictionary)


def most_frequent(words: WordPlaces, impressions: Ints, size: int) -> FrequentWords:
    """The `size` most frequent words. `impressions`: of each text."""
    from scipy.sparse import csr_array

    weight = np.bincount(words.code, impressions[words.text], len(words.spelling))
    code = np.argsort(-weight, kind="stable")[:size]
    place = np.full(len(words.spelling), -1)
    place[code] = np.arange(len(code))
    kept = place[words.code] >= 0
    inside = csr_array((np.ones(int(kept.sum())), (words.text[kept], place[words.code[kept]])), shape=(len(impressions), len(code)))
    inside.data[:] = 1
    together = (inside.T @ inside.multiply(impressions[:, None]).tocsr()).toarray()
    np.fill_diagonal(together, 0)
    return FrequentWords(code, weight[code] / impressions.sum(), together / weight[code][:, None])
