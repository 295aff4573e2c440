"""Head queries and refinements as runs of tokens, with slots for what is filled in later, and more heads
grown from common word pairs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from crowdlog.log.synth.arrays import I32, I64
from crowdlog.log.synth.language import STOP_WORDS
from crowdlog.log.synth.pool import TokenPool
from crowdlog.log.synth.topics import SubTopic

# Slots of a phrase, filled when a query is made.
CITY, STATE, YEAR, NUMBER = -1, -2, -3, -4
_SLOTS = {"{city}": CITY, "{state}": STATE, "{year}": YEAR, "{number}": NUMBER}
_GROWN_PER_SUBTOPIC = 260
_SHARED_BY = 3  # a word in more sub-topics than this says nothing about any of them


class Phrases:
    """Collects phrases; each gets the next number."""

    def __init__(self, pool: TokenPool) -> None:
        self._pool = pool
        self._codes: list[int] = []
        self._starts = [0]

    def extend(self, phrases: Iterable[str]) -> None:
        """Add phrases such as 'hotels in {city}'."""
        for phrase in phrases:
            parts = [part.strip() for part in re.split(r"(\{[a-z]+\})", phrase) if part.strip()]
            self._codes.extend(_SLOTS[part] if part in _SLOTS else self._pool.token(part) for part in parts)
            self._starts.append(len(self._codes))

    def starts(self) -> I64:
        """Where each phrase starts, and the end of the last."""
        return np.array(self._starts, np.int64)

    def codes(self) -> I32:
        """Tokens and slots."""
        return np.array(self._codes, np.int32)


def content_words(topics: list[SubTopic]) -> list[list[str]]:
    """For each sub-topic the words that tell it apart, in order of their heads."""
    bags = [
        dict.fromkeys(
            word
            for head in topic.heads
            for word in head.split()
            if word.isalpha() and len(word) > 3 and word not in STOP_WORDS
        )
        for topic in topics
    ]
    spread = Counter(word for bag in bags for word in bag)
    return [[word for word in bag if spread[word] <= _SHARED_BY] for bag in bags]


def grown_heads(
    topics: list[SubTopic], words: list[list[str]], pairs: list[tuple[str, str, int]]
) -> list[list[str]]:
    """More heads for each sub-topic: frequent word pairs that hold one of its own words and are not there
    yet.
    """
    owners: dict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(words):
        for word in bag:
            owners[word].append(number)
    grown: list[list[str]] = [[] for _ in topics]
    taken = {head for topic in topics for head in topic.heads}
    for first, second, _count in pairs:
        phrase = f"{first} {second}"
        # One sub-topic only, so that a text has one meaning: the first that has room among the owners of
        # either word.
        roomy = [
            number
            for number in owners.get(first, []) + owners.get(second, [])
            if len(grown[number]) < _GROWN_PER_SUBTOPIC
        ]
        if roomy and phrase not in taken:
            grown[roomy[0]].append(phrase)
    return grown
