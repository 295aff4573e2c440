"""Ways to write a query, so that more people share one: original, light, heavy (Feild 2013, §3.3), spelling
and template (grouping.py).

They depend on the text alone, never on other people's queries, so they cost no privacy; they must be applied
before contributions are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

REPRESENTATIONS = ("original", "light", "heavy", "spelling", "template")
WITH_WORD_LISTS = frozenset({"heavy", "spelling", "template"})  # need packages beyond the core

_SITE_PARTS = re.compile(r"www\.|\.(?:com|edu|net|org)\b")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_BLANKS = re.compile(r"\s+")
# A short list of words that carry no topic.
STOP_WORDS = frozenset(
    "a an and are as at be but by do does for from had has have how i if in into is it its my no not of on "
    "or our "
    "she so such that the their then there these they this to was we were what when where which who will "
    "with you your".split()
)


def light(text: str) -> str:
    """Without www., .com, .edu, .net, .org and punctuation."""
    return _BLANKS.sub(" ", _PUNCTUATION.sub(" ", _SITE_PARTS.sub("", text))).strip()


# All endings that a step of the stemmer (Porter's second, as Snowball has it) looks for end in one of these.
_STEMMED = tuple("' s ed ing y i e al er or on sm st ic nt ful ll".split())


def stem(word: str) -> str:
    """The stem of an English word; a word without any of the endings is its own, which is known at once."""
    if not word.endswith(_STEMMED) and "'" not in word and "Y" not in word:
        return word
    return _stem(word)


@lru_cache(1 << 17)  # a log has millions of different words
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    import snowballstemmer  # 40 modules, for two representations of five

    return snowballstemmer.stemmer("english")


def heavy(text: str) -> str:
    """Light, without stop words, each word stemmed, words sorted. A query of stop words only keeps them."""
    words = light(text).split()
    content = [word for word in words if word not in STOP_WORDS] or words
    return " ".join(sorted(stem(word) for word in content))


def spelling(text: str) -> str:
    """Light, with typing errors corrected."""
    # its word lists take a second to load: only for those who use them
    from crowdlog.artifacts.grouping import correct

    return correct(light(text))


def template(text: str) -> str:
    """Light, with cities left open and then typing errors corrected: bars in ⟨city⟩."""
    from crowdlog.artifacts.grouping import correct, open_city

    return correct(open_city(light(text)))


def representation(name: str) -> Callable[[str], str]:
    """The function of this name. 'original' changes nothing."""
    functions: dict[str, Callable[[str], str]] = {
        "original": str,
        "light": light,
        "heavy": heavy,
        "spelling": spelling,
        "template": template,
    }
    return functions[name]


def represent(texts: Iterable[str], name: str) -> list[str]:
    """Each text in the representation of this name."""
    function = representation(name)
    return [function(text) for text in texts]
