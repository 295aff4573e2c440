"""Public lists that were made without the log: pools of queries, topics of queries, results that an engine
shows to anyone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.query_file import ORIGINAL, read_query_file
from crowdlog.artifacts.representations import STOP_WORDS, represent
from crowdlog.errors import InputError
from crowdlog.lists.words import frequent_words
from crowdlog.log.normalise import normalise
from crowdlog.types import Ints

NGRAMS = "ngrams"
PUBLIC_POOL = "The pool is public and was made without this log."
PUBLIC_TOPICS = (
    "The file of topics was made without this log: the topic of a query depends on its text alone."
)
WORDS = 50_000  # of wordfreq's most frequent English words; rarer ones are seldom a query of their own


def read_pool(pool: str, representation: str) -> pa.StringArray:
    """The texts of a pool, normalised and represented as the log's queries are, each once.

    `pool`: 'ngrams' or a file with one query a line.
    """
    if pool == NGRAMS:
        return _built_in(representation)
    lines = read_query_file(pool, "pool of queries", {"query": "a query"}, representation=representation)
    unique = _sorted(lines["query"].to_pylist())
    if not len(unique):
        raise InputError(
            f"The pool of queries {pool} is empty. Give a file with one public query on each line, or "
            f"pool='{NGRAMS}'."
        )
    return unique


@lru_cache(maxsize=2)
def _built_in(representation: str) -> pa.StringArray:
    return _sorted(represent(map(normalise, _ngrams()), representation))


def _sorted(texts: Iterable[str]) -> pa.StringArray:
    array: pa.StringArray = pa.array(sorted({text for text in texts if text}), pa.string())
    return array


def read_features(path: str, representation: str) -> tuple[pa.StringArray, Ints, list[str]]:
    """A mapping file of lines query TAB topic: the queries, the number of each one's topic, the topics.

    The last line of a query counts.
    """
    columns = {"query": "a query", "topic": "a topic"}
    lines = read_query_file(path, "file of topics", columns, representation=representation)
    topic_of = dict(zip(lines["query"].to_pylist(), lines["topic"].to_pylist(), strict=True))
    topics, numbers = np.unique(list(topic_of.values()), return_inverse=True)
    return pa.array(list(topic_of), pa.string()), numbers, topics.tolist()


def read_surfaced(path: str, representation: str = ORIGINAL) -> pa.Table:
    """A file of lines query TAB url, what an engine shows to anyone who asks: each pair once, sorted, spelled
    as the log spells them.
    """
    columns = {"query": "a query", "url": "a URL"}
    table = pa.table(read_query_file(path, "file of surfaced URLs", columns, representation=representation))
    return (
        table.group_by(["query", "url"])
        .aggregate([])
        .sort_by([("query", "ascending"), ("url", "ascending")])
        .combine_chunks()
    )


WORD_LIST = "wordfreq"
PUBLIC_WORDS = "The list of words is public and was made without this log."
LISTED_WORDS = 100_000  # of wordfreq's most frequent English words, by rank


@lru_cache(maxsize=4)
def public_words(words: str, representation: str) -> tuple[str, ...]:
    """Words of a public list, most frequent first, written as the log's queries are, each once.

    `words`: 'wordfreq' or a file with one word a line.
    """
    if words == WORD_LIST:
        found: list[str] = represent(map(normalise, frequent_words(LISTED_WORDS)), representation)
    else:
        lines = read_query_file(words, "list of words", {"query": "a word"}, representation=representation)
        found = lines["query"].to_pylist()
    return tuple(dict.fromkeys(text for text in found if text and " " not in text))


@lru_cache(maxsize=1)
def public_word_pairs() -> tuple[tuple[str, str], ...]:
    """symspellpy's frequent English word pairs."""
    from importlib.resources import files

    file = files("symspellpy").joinpath("frequency_bigramdictionary_en_243_342.txt")
    lines = (line.split() for line in file.read_text(encoding="utf-8-sig").splitlines())
    return tuple((words[0], words[1]) for words in lines)


def _ngrams() -> tuple[str, ...]:
    """symspellpy's frequent English word pairs that neither begin nor end with a stop word, and wordfreq's
    most frequent words.

    The paper takes n-grams of a corpus that end in a noun. Two lists that packages carry need no download; no
    noun is a stop word.
    """
    pairs = public_word_pairs()
    return (
        *(f"{first} {second}" for first, second in pairs if not STOP_WORDS & {first, second}),
        *frequent_words(WORDS),
    )
