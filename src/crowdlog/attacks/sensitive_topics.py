"""Which queries are about which sensitive topic: by a file of labels, or by a tree of categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.artifacts.knowledge.tree import name_of
from crowdlog.artifacts.query_file import read_query_file
from crowdlog.attacks.attacker import Attacker
from crowdlog.errors import InputError
from crowdlog.measure.categories import query_categories
from crowdlog.measure.log_arrays import Impressions, count_matrix

# Regulation (EU) 2016/679, articles 9 and 10, in words that WordNet and ODP know.
SENSITIVE = (
    "illness", "disorder", "medicine", "health", "pregnancy", "abortion", "sexual activity", "sexuality",
    "religion", "belief", "politics", "crime", "addiction", "drug", "debt", "suicide", "ethnic group",
)  # fmt: skip


def sensitive_topics(truth: Impressions, attacker: Attacker) -> Any:
    """Queries by sensitive topics, as a 0/1 matrix."""
    return _by_labels(truth, attacker.labels) if attacker.labels else _by_tree(truth, attacker.tree)


def read_labels(path: Path) -> dict[str, Any]:
    """Lines of a query, its topic, and whether it is sensitive."""
    columns = {"query": "a query", "topic": "a topic", "sensitive": "0 or 1"}
    return read_query_file(path, "file of labels", columns)


def _by_labels(truth: Impressions, path: Path) -> Any:
    lines = read_labels(path)
    sensitive = np.array([str(each) == "1" for each in lines["sensitive"].to_pylist()], bool)
    query = truth.texts.find(lines["query"])
    kept = sensitive & (query >= 0)
    if not kept.any():
        raise InputError(f"The file of labels {path} calls no query of this log sensitive.")
    topics = np.array([str(topic) for topic in lines["topic"].to_pylist()])[kept]
    names, topic = np.unique(topics, return_inverse=True)
    return _at_most_once(count_matrix(query[kept], topic, (truth.queries, len(names))))


def _by_tree(truth: Impressions, tree: str) -> Any:
    """A query is about a topic if one of its categories lies at or below the topic's."""
    found, matrix = query_categories(truth.store, tree)
    roots = [found.named[name_of(name)][0] for name in SENSITIVE if name_of(name) in found.named]
    if not roots:
        raise InputError("The tree of categories has none of the sensitive topics. Give --labels instead.")
    topic = np.full(len(found), -1, np.int64)
    for number, root in enumerate(roots):
        topic[root] = number
    for node in range(len(found)):  # a parent has a smaller number than its children
        if topic[node] < 0 and found.parent[node] >= 0:
            topic[node] = topic[found.parent[node]]
    some = np.flatnonzero(topic >= 0)
    below = count_matrix(some, topic[some], (len(found), len(roots)))
    return _at_most_once((matrix @ below).tocsr())


def _at_most_once(matrix: Any) -> Any:
    matrix.data[:] = 1
    return matrix
