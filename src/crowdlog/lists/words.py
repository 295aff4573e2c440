"""English words and how often English uses them, by wordfreq's large list of 321,180 words."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import chain, islice

from crowdlog.lists import read_lines

RAREST = 1e-8  # what English writes less often has no measured frequency
_NUMBER = re.compile(r"\d[\d.,]+")
_BREAKS = re.compile(r"[^\w']+")
_APOSTROPHES = str.maketrans("’‘", "''")


@cache
def _by_frequency() -> list[list[str]]:
    """Entry n has the words that English uses about 10^(−n/100) times per word."""
    return [line.split(" ") if line else [] for line in read_lines("words.txt.gz")]


@cache
def _frequencies() -> dict[str, float]:
    return {word: 10 ** (-n / 100) for n, words in enumerate(_by_frequency()) for word in words}


def all_words() -> list[str]:
    """All words of the list, the most frequent first."""
    return list(chain.from_iterable(_by_frequency()))


def frequent_words(count: int) -> list[str]:
    """The most frequent words; numbers of several digits are none."""
    return list(islice((word for word in all_words() if not _NUMBER.match(word)), count))


def word_frequency(word: str) -> float:
    """How often English uses a word, to three digits; 0 if it is not in the list.

    A word of several parts (baden-baden) is rarer than each of them: 1/f = 1/f₁ + 1/f₂.
    """
    known = _frequencies()
    parts = [part for part in _BREAKS.split(word.casefold().translate(_APOSTROPHES)) if part]
    if not parts or any(part not in known for part in parts):
        return 0.0
    frequency = 1 / sum(1 / known[part] for part in parts)
    return round(frequency, math.floor(-math.log(frequency, 10)) + 3)


def usual_frequency(word: str) -> float:
    """The same, but no word is rarer than what can be measured."""
    return max(word_frequency(word), RAREST)
