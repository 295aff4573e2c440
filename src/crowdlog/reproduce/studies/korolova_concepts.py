"""The concepts of Table 5 in a synthetic log: which URLs stand for shoes, colleges and suicide."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.comparison.topics import read_topics
from crowdlog.measure.tables import KeyCounts
from crowdlog.reproduce.bench import Bench
from crowdlog.types import Bools

# Concept: the topic of the synthetic log that is nearest, and the paper's number of sites.
CONCEPTS = {
    "colleges": ("school/college", 10),
    "shoes": ("shopping/clothes", 1),
    "suicide": ("health/mental", 6),
}
OWN = 0.8  # share of a site's clicks that come from queries of the topic


def concept_urls(bench: Bench, clicks: KeyCounts) -> Bools:
    """URLs by concepts: the most clicked ones that are clicked mainly for queries of the topic."""
    texts, topics = bench.truth(bench.log).vocabulary.queries.all().to_pylist(), read_topics(bench.labels)
    query, url = unpack(clicks.key)
    sizes = bench.truth(bench.log).sizes
    everything = np.bincount(url, weights=clicks.count, minlength=sizes[1])
    marked = np.zeros((sizes[1], len(CONCEPTS)), bool)
    topic_of: Any = np.array([topics.get(text, "") for text in texts], object)
    for i, (topic, number) in enumerate(CONCEPTS.values()):
        on_topic = topic_of[query] == topic
        theirs = np.bincount(url[on_topic], weights=clicks.count[on_topic], minlength=sizes[1])
        candidates = np.flatnonzero((theirs > 0) & (theirs >= OWN * everything))
        marked[candidates[np.argsort(-theirs[candidates], kind="stable")[:number]], i] = True
    return marked
