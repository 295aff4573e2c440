"""Topics of queries: by a file that the owner brings, or by words of a list that comes with the package."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache

from crowdlog.artifacts.public_lists import read_features
from crowdlog.artifacts.representations import STOP_WORDS

TOPIC_WORDS = "words"  # the spelling of the list that comes with the package
OTHER = "other"  # the topic of queries that have none


@lru_cache(maxsize=1)
def word_topics() -> dict[str, str]:
    """The topic of each word that stands in queries of one topic more often than in those of any other.

    From the list of typical queries by topic that synthetic logs are made of: written by hand, public.
    """
    from crowdlog.log.synth.topics import load_topics  # not loaded for releases without topics

    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sub_topic in load_topics():
        topic = sub_topic.name.partition("/")[0]
        for text in sub_topic.heads:
            for word in set(text.split()) - STOP_WORDS:
                seen[word][topic] += 1
    found = {}
    for word, topics in seen.items():
        (first, most), *others = topics.most_common(2)
        if word.isalpha() and (not others or others[0][1] < most):
            found[word] = first
    return found


def topic_names(topics: str, representation: str) -> tuple[str, ...]:
    """All topics in the order of the alphabet, and last that of queries without one."""
    if topics == TOPIC_WORDS:
        named = set(word_topics().values())
    else:
        named = set(read_features(topics, representation)[2])
    return (*sorted(named - {OTHER}), OTHER)
