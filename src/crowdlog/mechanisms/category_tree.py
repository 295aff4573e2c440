"""The tree of categories of a mechanism, and where a log's queries belong in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.artifacts.knowledge.mapping import Finder, Mapping
    from crowdlog.artifacts.knowledge.tree import Tree
    from crowdlog.clusters.profiles import Profiles
    from crowdlog.log.store import LogStore

WORDNET = "wordnet"


def read_tree(tree: str) -> Tree:
    """WordNet, or the tree of a file."""
    from crowdlog.artifacts.knowledge.directory import read_directory
    from crowdlog.artifacts.knowledge.wordnet import read_wordnet

    return read_wordnet() if tree == WORDNET else read_directory(tree)


@dataclass(frozen=True, repr=False)
class Mapped:
    """A log in a tree."""

    tree: Tree
    mapping: Mapping
    profiles: Profiles

    def notes(self) -> dict[str, float | int | str]:
        """What the label says: the shares of different queries, of users and of impressions that have a
        category.
        """
        users = np.diff(self.profiles.start) > 0
        return {
            "tree of categories": "WordNet" if self.tree.title == "WordNet" else "from a file",
            "share of queries mapped": round(float(self.mapping.mapped.mean()), 4),
            "share of users mapped": round(float(users.mean()), 4),
        }


def refuse_unknown(log: LogStore, tree: Tree, find: Finder) -> None:
    """Raise InputError when no query of the log is in the tree; the first that is ends the search."""
    if not any(find(text) for text in _texts(log)):
        raise InputError(
            f"The tree of categories {tree.title} knows no query of this log, so no users are alike by it. "
            "Give a tree in the language of the log."
        )


def map_log(log: LogStore, tree: Tree, find: Finder) -> Mapped:
    """The categories of all queries and users of a log."""
    from crowdlog.artifacts.knowledge.mapping import map_queries
    from crowdlog.clusters.profiles import category_profiles
    from crowdlog.progress import progress_bar

    refuse_unknown(log, tree, find)
    with progress_bar("Looking up categories", log.info.queries, unit="queries") as advance:
        mapping = map_queries(_texts(log, advance), find)
    return Mapped(tree, mapping, category_profiles(log, mapping))


def _texts(log: LogStore, advance: Any = None) -> Any:
    step = 1 << 16
    for first in range(0, log.info.queries, step):
        ids = np.arange(first, min(first + step, log.info.queries))
        yield from log.query_texts(ids).to_pylist()
        if advance:
            advance(len(ids))
