"""Query texts as sorted sets of numbers, so that two texts are compared by merging: words, stems, trigrams.

Everything here is a function of the text alone and simple enough to be written again in another language
(extension/lib/tasks.ts): code points, blanks, and ASCII punctuation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from crowdlog.types import Ints

SIGN_WORDS = 16  # 1,024 bits: three of four pairs without a common trigram are told by them
STEM = 5  # letters: shop, shops, shopping differ; "recip" joins recipe and recipes
# Words without a topic; parts of addresses too. Shared with extension/lib/tasks.ts through the vectors.
STOP_WORDS = (
    "a an and are as at be but by com do does edu for from had has have how http i if in into is it its my "
    "net no not of on or org our she so such that the their then there these they this to was we were what "
    "when where which who will with www you your"
).split()
_BLANK = 32
_MIX = 0x9E3779B97F4A7C15  # Fibonacci hashing: the upper ten bits of the product number a bit
_OFFSET, _PRIME = 0xCBF29CE484222325, 0x100000001B3  # FNV-1a


class EncodedTexts(NamedTuple):
    """Texts as code points and as three sorted sets each; `*_at` says where the set of a text begins."""

    points: np.ndarray  # uint32
    at: Ints
    words: Ints
    words_at: Ints
    stems: Ints
    stems_at: Ints
    grams: Ints
    grams_at: Ints
    signs: np.ndarray  # uint64, SIGN_WORDS of each text: a bit for each of its trigrams and stems
    hidden: Ints  # of each text: its trigrams and stems whose bit another of them has, too


def encode_texts(texts: Sequence[str]) -> EncodedTexts:
    """Encode normalised texts."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    at = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    stops = np.sort(np.array([_hash_text(word) for word in STOP_WORDS], np.int64))
    words, words_at, stems, stems_at, grams, grams_at = _encode(points, at, stops)
    signs = np.zeros((len(texts), SIGN_WORDS), np.uint64)
    hidden = np.zeros(len(texts), np.int64)
    _sign(signs, hidden, grams, grams_at)
    _sign(signs, hidden, stems, stems_at)
    return EncodedTexts(points, at, words, words_at, stems, stems_at, grams, grams_at, signs, hidden)


def _hash_text(text: str) -> int:
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return int(_hash(points, 0, len(points)))


@njit(cache=True, nogil=True)
def _hash(points, begin, end):  # type: ignore[no-untyped-def]
    h = np.uint64(_OFFSET)
    for i in range(begin, end):
        h = (h ^ np.uint64(points[i])) * np.uint64(_PRIME)
    return np.int64(h >> np.uint64(1))


@njit(cache=True, nogil=True)
def _sign(signs, hidden, values, at):  # type: ignore[no-untyped-def]
    """A Bloom filter of one hash: texts whose bits do not meet share no trigram and no stem."""
    for t in range(len(at) - 1):
        for i in range(at[t], at[t + 1]):
            bit = (np.uint64(values[i]) * np.uint64(_MIX)) >> np.uint64(54)
            mask = np.uint64(1) << (bit & np.uint64(63))
            hidden[t] += (signs[t, bit >> np.uint64(6)] & mask) != 0
            signs[t, bit >> np.uint64(6)] |= mask


@njit(cache=True, nogil=True)
def _is_letter(c):  # type: ignore[no-untyped-def]
    """Digits, small and capital letters, and everything beyond ASCII."""
    return 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c >= 128


@njit(cache=True, nogil=True)
def _put_set(values, count, out, to):  # type: ignore[no-untyped-def]
    """The first `count` values, sorted, each once, written to `out` from `to` on; the next place."""
    part = np.sort(values[:count])
    for i in range(count):
        if i == 0 or part[i] != part[i - 1]:
            out[to] = part[i]
            to += 1
    return to


@njit(cache=True, nogil=True)
def _words(points, begin, end, found):  # type: ignore[no-untyped-def]
    """Hashes of what stands between blanks."""
    count, start = 0, begin
    for i in range(begin, end + 1):
        if i == end or points[i] == _BLANK:
            if i > start:
                found[count] = _hash(points, start, i)
                count += 1
            start = i + 1
    return count


@njit(cache=True, nogil=True)
def _stems(points, begin, end, stops, found):  # type: ignore[no-untyped-def]
    """Hashes of the first letters of each run of letters that is no stop word."""
    count, start = 0, begin
    for i in range(begin, end + 1):
        if i == end or not _is_letter(points[i]):
            if i > start:
                whole = _hash(points, start, i)
                place = np.searchsorted(stops, whole)
                if place == len(stops) or stops[place] != whole:
                    found[count] = _hash(points, start, min(i, start + STEM))
                    count += 1
            start = i + 1
    return count


@njit(cache=True, nogil=True)
def _grams(points, begin, end, found):  # type: ignore[no-untyped-def]
    """Every three characters in a row; a shorter text is one gram."""
    if end - begin < 3:
        gram = np.int64(0)
        for i in range(begin, end):
            gram = (gram << 21) | np.int64(points[i])
        found[0] = gram
        return min(1, end - begin)
    for i in range(begin, end - 2):
        found[i - begin] = (
            (np.int64(points[i]) << 42) | (np.int64(points[i + 1]) << 21) | np.int64(points[i + 2])
        )
    return end - begin - 2


@njit(cache=True, nogil=True)
def _encode(points, at, stops):  # type: ignore[no-untyped-def]
    n = len(at) - 1
    words_at = np.zeros(n + 1, np.int64)
    stems_at = np.zeros(n + 1, np.int64)
    grams_at = np.zeros(n + 1, np.int64)
    longest = 1
    for t in range(n):
        longest = max(longest, at[t + 1] - at[t])
    found = np.empty(longest + 1, np.int64)
    words = np.empty(len(points) + n, np.int64)
    stems = np.empty(len(points) + n, np.int64)
    grams = np.empty(len(points) + n, np.int64)
    for t in range(n):
        begin, end = at[t], at[t + 1]
        words_at[t + 1] = _put_set(found, _words(points, begin, end, found), words, words_at[t])
        stems_at[t + 1] = _put_set(found, _stems(points, begin, end, stops, found), stems, stems_at[t])
        grams_at[t + 1] = _put_set(found, _grams(points, begin, end, found), grams, grams_at[t])
    return (
        words[: words_at[n]].copy(),
        words_at,
        stems[: stems_at[n]].copy(),
        stems_at,
        grams[: grams_at[n]].copy(),
        grams_at,
    )
