"""What two searches of a person have in common (Feild 2013, Table 5.1, and what the pilots added)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from crowdlog.applications.tasks.levenshtein import distance
from crowdlog.applications.tasks.texts import EncodedTexts
from crowdlog.types import Floats, Ints

# In the order of a feature vector.
FEATURES = (
    "seconds",  # between the two searches
    "word_jaccard",
    "edit",  # 1 − Levenshtein distance / length of the longer text
    "trigram_jaccard",
    "semantic",  # cosine of stems without stop words, or of the word vectors of a file
    "stem_containment",  # shared stems / stems of the text with fewer
    "trigram_containment",
    "shared_sites",  # clicked sites in common / those of the search with fewer; −1 where either has none
    "between",  # searches of the person between the two
    "shorter",  # characters of the shorter text
    "longer",
)
SECONDS, WORD, EDIT, TRIGRAM, SEMANTIC, STEMS_IN, TRIGRAMS_IN, SITES, BETWEEN, SHORTER, LONGER = range(11)
LOUD = 0.05  # likeness of trigrams from which on words tell: less is one chance trigram of two long texts
SEED_FEATURES = (SECONDS, WORD, EDIT, TRIGRAM, SEMANTIC)  # those of Feild's Table 5.1 that crowd logs hold


class PeopleSearches(NamedTuple):
    """Searches of some people, as the kernels take them: text numbers, times and clicked sites.

    `vectors` holds one row of word-vector averages (of length 1) for each text, or none (0 rows).
    """

    text: Ints
    time: Ints
    site_at: Ints
    site: Ints
    texts: EncodedTexts
    vectors: Floats


@njit(cache=True, nogil=True)
def common(values, a, a_end, b, b_end):  # type: ignore[no-untyped-def]
    """How many numbers two sorted sets share."""
    count = 0
    while a < a_end and b < b_end:
        x, y = values[a], values[b]
        count += x == y
        a += x <= y
        b += y <= x
    return count


@njit(cache=True, nogil=True)
def _shared_sites(people, i, j):  # type: ignore[no-untyped-def]
    mine = people.site_at[i + 1] - people.site_at[i]
    other = people.site_at[j + 1] - people.site_at[j]
    if mine == 0 or other == 0:
        return -1.0
    both = common(
        people.site, people.site_at[i], people.site_at[i + 1], people.site_at[j], people.site_at[j + 1]
    )
    return both / min(mine, other)


@njit(cache=True, nogil=True)
def text_evidence(people, i, j, out):  # type: ignore[no-untyped-def]
    """Fill in what is cheap: trigrams, semantics, sites, time and place. Whether anything is in common.

    A pair with next to nothing in common ('quiet') is told by time and place alone; most pairs are.
    """
    texts = people.texts
    s, t = people.text[i], people.text[j]
    out[SECONDS] = abs(people.time[j] - people.time[i])
    out[BETWEEN] = abs(j - i) - 1
    out[SITES] = _shared_sites(people, i, j)
    a, a_end = texts.grams_at[s], texts.grams_at[s + 1]
    b, b_end = texts.grams_at[t], texts.grams_at[t + 1]
    grams = 0
    if meet(texts.signs, s, t):
        grams = common(texts.grams, a, a_end, b, b_end) if s != t else a_end - a
    out[TRIGRAM] = grams / max(1, a_end - a + b_end - b - grams)
    out[TRIGRAMS_IN] = grams / max(1, min(a_end - a, b_end - b))
    _semantic(people, s, t, out)
    return out[TRIGRAM] >= LOUD or out[SITES] > 0 or out[SEMANTIC] > 0


@njit(cache=True, nogil=True)
def meet(signs, s, t):  # type: ignore[no-untyped-def]
    met = np.uint64(0)
    for word in range(signs.shape[1]):
        met |= signs[s, word] & signs[t, word]
    return met != 0


@njit(cache=True, nogil=True)
def _semantic(people, s, t, out):  # type: ignore[no-untyped-def]
    texts = people.texts
    a, a_end = texts.stems_at[s], texts.stems_at[s + 1]
    b, b_end = texts.stems_at[t], texts.stems_at[t + 1]
    stems = common(texts.stems, a, a_end, b, b_end)
    fewer = min(a_end - a, b_end - b)
    out[STEMS_IN] = stems / max(1, fewer)
    if len(people.vectors):
        out[SEMANTIC] = max(0.0, float(np.dot(people.vectors[s], people.vectors[t])))
    else:
        out[SEMANTIC] = stems / np.sqrt(max(1, (a_end - a) * (b_end - b)))


@njit(cache=True, nogil=True)
def rest_of_features(people, i, j, out):  # type: ignore[no-untyped-def]
    """Fill in what costs more: words and Levenshtein's distance."""
    texts = people.texts
    s, t = people.text[i], people.text[j]
    a, a_end = texts.words_at[s], texts.words_at[s + 1]
    b, b_end = texts.words_at[t], texts.words_at[t + 1]
    words = common(texts.words, a, a_end, b, b_end)
    out[WORD] = words / max(1, a_end - a + b_end - b - words)
    mine, other = texts.at[s + 1] - texts.at[s], texts.at[t + 1] - texts.at[t]
    out[SHORTER], out[LONGER] = min(mine, other), max(mine, other)
    steps = distance(texts.points, texts.at[s], texts.at[s + 1], texts.at[t], texts.at[t + 1])
    out[EDIT] = 1 - steps / max(1, max(mine, other))


@njit(cache=True, nogil=True)
def pair_matrix(people, first, second):  # type: ignore[no-untyped-def]
    """The feature vector of each pair of searches."""
    out = np.empty((len(first), 11))
    for k in range(len(first)):
        text_evidence(people, first[k], second[k], out[k])
        rest_of_features(people, first[k], second[k], out[k])
    return out
