"""Edit distances between words: Myers' bit-parallel algorithm (1999).

One user is compared with very many: the distances of *her* words to all others are kept while she is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.types import Ints

KEPT = 256  # words of one user whose distances are kept; those of others are computed each time
UNKNOWN = 255  # also for distances of so many letters and more, which are computed each time
_WORD = 64  # letters that one machine word holds


@dataclass(frozen=True, repr=False)
class WordLetters:
    """Word w has the letters `letter[start[w]:start[w + 1]]`, as numbers below `alphabet`."""

    start: Ints
    letter: NDArray[np.int32]
    alphabet: int

    def __len__(self) -> int:
        return len(self.start) - 1


def words_of(texts: list[str]) -> WordLetters:
    """The words as letters."""
    points = np.array([ord(letter) for text in texts for letter in text], np.int64)
    letters, number = np.unique(points, return_inverse=True)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(text) for text in texts], dtype=np.int64)])
    return WordLetters(start, number.astype(np.int32), len(letters))


class DistanceCache:
    """Distances of one user's words to all words, filled when they are first asked for."""

    def __init__(self, words: WordLetters) -> None:
        self._slot = np.full(len(words), -1, np.int16)
        self._edits = np.empty((KEPT, len(words)), np.uint8)
        self._masks = np.zeros(words.alphabet, np.uint64)
        self._now: Any = np.zeros(0, np.int64)

    def of(self, words: Ints) -> tuple[Any, Any, Any]:
        """Places for these words; those of the last user are forgotten, unless they are the same."""
        mine = np.unique(words)[:KEPT]
        if not np.array_equal(mine, self._now):
            self._slot[self._now] = -1
            self._slot[mine] = np.arange(len(mine), dtype=np.int16)
            self._edits[: len(mine)] = UNKNOWN
            self._now = mine
        return self._slot, self._edits, self._masks


@njit(cache=True, nogil=True)
def _set(masks: Any, letter: Any, begin: int, end: int) -> None:
    """For each letter the places where a word of at most 64 letters has it."""
    for i in range(begin, min(end, begin + _WORD)):
        masks[letter[i]] |= np.uint64(1) << np.uint64(i - begin)


@njit(cache=True, nogil=True)
def _edits(masks: Any, letter: Any, a0: int, a1: int, b0: int, b1: int) -> Any:
    """The edit distance of two words; `masks` are those of the first."""
    length = a1 - a0
    if length == 0:
        return b1 - b0
    if length > _WORD:
        return _plain(letter, a0, a1, b0, b1)
    plus = ~np.uint64(0)
    minus = np.uint64(0)
    last = np.uint64(1) << np.uint64(length - 1)
    score = length
    for j in range(b0, b1):
        same = masks[letter[j]]
        across = (((same & plus) + plus) ^ plus) | same | minus
        up = minus | ~(across | plus)
        down = plus & across
        if up & last:
            score += 1
        elif down & last:
            score -= 1
        up = (up << np.uint64(1)) | np.uint64(1)
        down = down << np.uint64(1)
        plus = down | ~((same | minus) | up)
        minus = up & (same | minus)
    return score


@njit(cache=True, nogil=True)
def _plain(letter: Any, a0: int, a1: int, b0: int, b1: int) -> Any:
    """The textbook's table, for words of more than 64 letters."""
    row = np.arange(b1 - b0 + 1)
    for i in range(a0, a1):
        before = row[0]
        row[0] = i - a0 + 1
        for j in range(b0, b1):
            here = row[j - b0 + 1]
            cost = before if letter[i] == letter[j] else before + 1
            row[j - b0 + 1] = min(cost, here + 1, row[j - b0] + 1)
            before = here
    return row[b1 - b0]


@njit(cache=True, nogil=True)
def edits_between(a: int, b: int, start: Any, letter: Any, kept: Any) -> Any:
    """The edit distance of words a and b; the masks are all 0 before and after."""
    slot, edits, masks = kept
    if slot[a] < 0:
        a, b = b, a
    here = slot[a]
    if here >= 0 and edits[here, b] != UNKNOWN:
        return edits[here, b]
    _set(masks, letter, start[a], start[a + 1])
    found = _edits(masks, letter, start[a], start[a + 1], start[b], start[b + 1])
    for i in range(start[a], start[a + 1]):
        masks[letter[i]] = 0
    if here >= 0:
        edits[here, b] = min(found, UNKNOWN)
    return found
