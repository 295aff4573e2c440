"""Words, names and places: lists that crowdlog carries, and those of two packages, symspellpy and names."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from importlib.resources import files

from crowdlog.lists import places
from crowdlog.lists.words import all_words
from crowdlog.log.synth.lists import read_list

STOP_WORDS = frozenset(read_list("stop_words.txt"))
_UNFIT_WORDS = frozenset(read_list("unfit_words.txt"))
_UNFIT_PARTS = tuple(read_list("unfit_parts.txt"))
# beyond wordfreq's 30,000 most frequent words most people know a word only if it is theirs
_RARE_FROM = 30_000


def _fit(word: str) -> bool:
    return word not in _UNFIT_WORDS and not any(part in word for part in _UNFIT_PARTS)


@cache
def _begins_or_ends(word: str) -> bool:
    return len(word) > 2 and word not in STOP_WORDS and _fit(word)


def two_word_phrases() -> list[tuple[str, str, int]]:
    """symspellpy's 242,342 frequent English word pairs without stop words, with their counts, most frequent
    first.
    """
    text = (
        files("symspellpy")
        .joinpath("frequency_bigramdictionary_en_243_342.txt")
        .read_text(encoding="utf-8-sig")
    )
    rows = (line.split() for line in text.splitlines())
    pairs = [
        (first, second, int(count))
        for first, second, count in rows
        if _begins_or_ends(first) and _begins_or_ends(second)
    ]
    return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))


def followers(pairs: list[tuple[str, str, int]]) -> dict[str, list[str]]:
    """For each word, the words that follow it, most frequent first."""
    after: dict[str, list[str]] = defaultdict(list)
    for first, second, _count in pairs:
        after[first].append(second)
    return dict(after)


def rare_words() -> list[str]:
    """Rare words of wordfreq's large English list, the less rare first."""
    words = [word for word in all_words() if word.isascii() and word.isalpha() and 4 <= len(word) <= 14]
    return [word for word in words[_RARE_FROM:] if _fit(word)]


@cache
def _census(file: str) -> tuple[list[str], list[float]]:
    rows = [line.split() for line in files("names").joinpath(file).read_text(encoding="ascii").splitlines()]
    # the rarest are rounded to 0.000 %
    return [row[0].lower() for row in rows], [float(row[1]) + 1e-4 for row in rows]


def first_names() -> tuple[list[str], list[float]]:
    """Given names of the 1990 US census and their shares."""
    women, men = _census("dist.female.first"), _census("dist.male.first")
    return women[0] + men[0], women[1] + men[1]


def last_names() -> tuple[list[str], list[float]]:
    """Family names of the 1990 US census and their shares."""
    return _census("dist.all.last")


def cities() -> tuple[list[str], list[float]]:
    """US cities above 15,000 people by name, largest first, and their populations."""
    found = [city for city in places.cities() if city.american and city.name.isascii()]
    names = [city.name.lower().replace(".", "").replace("'", "") for city in found]
    return names, [float(city.people) for city in found]


def states() -> list[str]:
    """The US states by name."""
    return sorted(name.lower() for name, _code in places.states())
