"""Grouping before counting: more people share a query once its typing errors are corrected or its city is
left open.

Both look at the text and at public word lists (symspellpy's, and those of crowdlog.lists), never at other
people's queries: they cost no privacy, if they are applied before contributions are bounded.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from crowdlog.artifacts.semantic.proper_nouns import is_proper_noun
from crowdlog.lists import places
from crowdlog.lists.words import usual_frequency

CITY = "⟨city⟩"
FEWEST_LETTERS = 5  # a shorter word has neighbours that mean something else: cars, cats
LONGEST_NAME = 4  # words: "rancho palos verdes estates"
# A city needs this many inhabitants for each time English uses its name per token: "denver" yes, "mobile" and
# "nice" no.
PEOPLE_PER_USE = 1e10
WORDS_TOO = {"in", "or", "me", "hi", "ok"}  # codes of states that are words more often


@cache
def _speller() -> Any:
    from symspellpy import SymSpell

    speller = SymSpell(max_dictionary_edit_distance=1)
    speller.load_dictionary(str(files("symspellpy").joinpath("frequency_dictionary_en_82_765.txt")), 0, 1)
    return speller


@lru_cache(maxsize=1 << 20)
def _corrected(word: str) -> str:
    """The most frequent dictionary word one edit away from a long word that is neither in the dictionary nor
    a name.
    """
    if len(word) < FEWEST_LETTERS or not (word.isascii() and word.isalpha()) or is_proper_noun(word):
        return word
    from symspellpy import Verbosity

    found = _speller().lookup(word, Verbosity.TOP, max_edit_distance=1)
    return str(found[0].term) if found else word


def correct(text: str) -> str:
    """Each word in its dictionary spelling: 'wether forcast' and 'weather forecast' are one query."""
    return " ".join(_corrected(word) for word in text.split())


@cache
def _cities() -> frozenset[tuple[str, ...]]:
    people: dict[tuple[str, ...], int] = {}
    for city in places.cities():
        name = tuple(city.name.lower().replace(".", "").replace("'", " ").replace("-", " ").split())
        if len(name) > 2 and name[-1] == "city":  # New York City is asked for as New York
            people[name[:-1]] = max(people.get(name[:-1], 0), city.people)
        people[name] = max(people.get(name, 0), city.people)
    return frozenset(
        name
        for name, population in people.items()
        if len(name) > 1 or population >= PEOPLE_PER_USE * usual_frequency(name[0])
    )


@cache
def _states() -> frozenset[tuple[str, ...]]:
    names = {text.lower() for state in places.states() for text in state}
    return frozenset(tuple(name.split()) for name in names - WORDS_TOO)


def _name_at(words: list[str], at: int, names: frozenset[tuple[str, ...]]) -> int:
    """How many words from here on are the longest name, 0 for none."""
    return next(
        (
            size
            for size in range(min(LONGEST_NAME, len(words) - at), 0, -1)
            if tuple(words[at : at + size]) in names
        ),
        0,
    )


def open_city(text: str) -> str:
    """'bars in new york ny' and 'bars in boston' are 'bars in ⟨city⟩'.

    A query that is nothing but a city stays.
    """
    words, result, at = text.split(), [], 0
    while at < len(words):
        size = _name_at(words, at, _cities())
        if size:
            result.append(CITY)
            at += size + _name_at(words, at + size, _states())
        else:
            result.append(words[at])
            at += 1
    return text if set(result) == {CITY} else " ".join(result)
