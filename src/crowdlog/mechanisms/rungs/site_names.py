"""Which sites are called by words: w.com, twowords.com. A compiled loop, because a log has millions of sites,
and a name is cut in two in as many ways as it has letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.numbered_slices import SliceNumbers, find_slice, text_bytes
from crowdlog.types import Ints

DOT = ord(".")
NO_NAME, ONE_WORD, TWO_WORDS, LISTED = range(4)  # how a site is called


@dataclass(frozen=True)
class SiteNames:
    """Of each site: how it is called, the place of the word (of two: first · words + second), the suffix."""

    form: Any
    place: Ints
    suffix: Any

    def __repr__(self) -> str:
        return f"SiteNames({len(self.form)} sites)"


class Namers:
    """What sites may be called by: words, and the words of a list; with suffixes."""

    def __init__(self, words: Sequence[str], listed: Sequence[str], suffixes: Sequence[str]) -> None:
        self._size = len(words)
        self._tables = tuple(SliceNumbers.of(each).table for each in (words, listed, suffixes))

    def names(self, sites: Any) -> SiteNames:
        """A site is called by one word; else by two, the shorter first where there are several ways; else by
        a word of the list.
        """
        data, offsets = text_bytes(sites)
        return SiteNames(*_names(data, offsets, *self._tables, self._size))

    def __repr__(self) -> str:
        return f"Namers({self._size} words)"


@njit(cache=True)
def _names(
    data: Any, offsets: Any, words: Any, listed: Any, suffixes: Any, size: int
) -> tuple[Any, Any, Any]:
    n = len(offsets) - 1
    form, place, suffix = np.zeros(n, np.int8), np.zeros(n, np.int64), np.zeros(n, np.int8)
    for site in range(n):
        begin, end = offsets[site], offsets[site + 1]
        dot = end - 1
        while dot >= begin and data[dot] != DOT:
            dot -= 1
        kind = find_slice(data, dot + 1, end, suffixes) if dot >= begin else -1
        if kind < 0:
            continue
        suffix[site] = kind
        found, way = find_slice(data, begin, dot, words), ONE_WORD
        cut = begin + 1
        while found < 0 and cut < dot:
            first = find_slice(data, begin, cut, words)
            second = find_slice(data, cut, dot, words) if first >= 0 else -1
            if second >= 0:
                found, way = first * size + second, TWO_WORDS
            cut += 1
        if found < 0:
            found, way = find_slice(data, begin, dot, listed), LISTED
        if found >= 0:
            form[site], place[site] = way, found
    return form, place, suffix
