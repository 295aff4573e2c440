"""Which words name persons or places, by public lists: US census names (package names), and
places and frequencies of words in crowdlog.lists.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from crowdlog.lists import places
from crowdlog.lists.words import usual_frequency

# A word is taken for a name when it is ten times as frequent among persons as in written English: "smith"
# (120 times) yes, "case" (once) no.
_NAME_RATIO = 10
# A place needs this many inhabitants for each time English uses the word per token: "denver" (3e10) yes,
# "mobile" (4e9) and "nice" (7e8) no.
_PLACE_RATIO = 10_000_000_000


@cache
def _name_frequencies() -> dict[str, float]:
    """The share of persons who bear a first or last name."""
    import names

    frequency: dict[str, float] = {}
    for path in names.FILES.values():
        for line in Path(path).read_text(encoding="ascii").splitlines():
            name, percent = line.split()[:2]
            frequency[name.lower()] = max(frequency.get(name.lower(), 0.0), float(percent) / 100)
    return frequency


@cache
def _populations() -> dict[str, int]:
    """Inhabitants of cities, countries and US states and counties, by lower-case name; a state or country
    counts as large.
    """
    people: dict[str, int] = {}
    for city in places.cities():
        people.setdefault(city.name.lower(), city.people)  # the largest first
    large = [*places.countries(), *(name for name, _code in places.states())]
    people.update({name.lower(): 10**9 for name in large})
    for county in places.counties():
        people.setdefault(county.lower(), 0)
    return people


@cache
def person_names() -> frozenset[str]:
    """The words that are (mostly) names of persons."""
    shares = _name_frequencies().items()
    return frozenset(name for name, share in shares if share >= _NAME_RATIO * usual_frequency(name))


def is_proper_noun(word: str) -> bool:
    """Whether a single word is (mostly) the name of a person or a place."""
    share, people = _name_frequencies().get(word, 0.0), _populations().get(word, 0)
    if not share and not people:
        return False
    usual = usual_frequency(word)
    return share >= _NAME_RATIO * usual or people >= _PLACE_RATIO * usual


def places_of(words: int) -> list[tuple[str, ...]]:
    """All listed places whose name has this many words, e.g. ("new", "york")."""
    split = (tuple(name.split()) for name in _populations())
    return [place for place in split if len(place) == words]
