"""Noun phrases of a query (Erola 2013, §5.5.1.1): runs of nouns and adjectives that end in a noun.

Queries are fragments, so the part of speech of a word is taken from a dictionary, not from a sentence: stop
words, and words that WordNet knows as verb or adverb only, end a phrase; words that are adjectives only
cannot end one; every other word, known or not, is a noun, and so is a gerund (windsurfing).
"""

from __future__ import annotations

from functools import lru_cache

from crowdlog.artifacts.knowledge.tree import Name
from crowdlog.artifacts.knowledge.wordnet import can_be
from crowdlog.artifacts.representations import STOP_WORDS, light, stem

# Determiners, prepositions, pronouns and adverbs beyond the short list of stop words.
_ENDS = STOP_WORDS | frozenset(
    "about above after again all any around because been before behind being below between both can could "
    "did during "
    "each few he her here him his just me more most near off once only other out over own same should some "
    "than them "
    "through too under until up very via versus vs while whom why would without within".split()
)


END, ADJECTIVE, NOUN = "end", "adjective", "noun"


@lru_cache(1 << 17)  # a log has millions of different words
def _kinds(written: str) -> tuple[tuple[str, str], ...]:
    """The words of a text without blanks, each with its kind: END, ADJECTIVE or NOUN.

    Nothing that `light` takes off or cuts at goes over a blank: the words of a text are those of its parts.
    """
    words = (written,) if written.isalnum() else light(written).split()
    return tuple((word, _kind(word)) for word in words)


def _kind(word: str) -> str:
    if word in _ENDS:
        return END
    if can_be(word, "noun"):
        return NOUN
    if can_be(word, "adj"):
        return ADJECTIVE
    if can_be(word, "adv") or (can_be(word, "verb") and not word.endswith("ing")):
        return END
    return NOUN


def noun_phrases(text: str) -> list[Name]:
    """The phrases in order, each as the stems of its words."""
    return [tuple(map(stem, words)) for words in phrase_words(text)]


def phrase_words(text: str) -> list[tuple[str, ...]]:
    """The phrases in order, each as its words."""
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    nouns = 0  # words of the run up to its last noun
    for written in text.split():
        for word, kind in _kinds(written):
            if kind != END:
                run.append(word)
                if kind == NOUN:
                    nouns = len(run)
                continue
            if nouns:
                found.append(tuple(run[:nouns]))
            run, nouns = [], 0
    if nouns:
        found.append(tuple(run[:nouns]))
    return found
