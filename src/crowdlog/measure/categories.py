"""Categories of a log's queries in a tree, as a matrix: people's interests instead of their words."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.artifacts.knowledge.mapping import by_phrases, by_words
from crowdlog.artifacts.knowledge.tree import Tree
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.category_tree import map_log, read_tree

PHRASES = 0  # noun phrases (§5.5) instead of so many categories of each word (§5.4)


@lru_cache(maxsize=3)
def _matrix(path: Path, _source: str, tree: str, per_word: int) -> tuple[Tree, Any]:
    from scipy.sparse import csr_array

    log = LogStore.open(path)
    found = read_tree(tree)
    mapping = map_log(log, found, by_words(found, per_word) if per_word else by_phrases(found)).mapping
    ones = np.ones(len(mapping.category), np.int64)
    matrix = csr_array((ones, mapping.category, mapping.start), shape=(log.info.queries, len(found)))
    matrix.sum_duplicates()
    return found, matrix


def query_categories(log: LogStore, tree: str, per_word: int = PHRASES) -> tuple[Tree, Any]:
    """The tree, and queries by categories: how often each category is in each query.

    Kept, because many ask for it.
    """
    return _matrix(log.path, log.info.id, tree, per_word)


def at_level(tree: Tree, level: int) -> Any:
    """Categories by their ancestors of one level, as a 0/1 matrix; a category less deep has none."""
    from scipy.sparse import csr_array

    above = tree.at_level(level)
    deep = np.flatnonzero(above >= 0)
    return csr_array((np.ones(len(deep), np.int64), (deep, above[deep])), shape=(len(tree), len(tree)))
