"""What mechanisms share that cluster users by the categories of their queries in a tree."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crowdlog.mechanisms.category_tree import WORDNET, Mapped, map_log, read_tree, refuse_unknown
from crowdlog.mechanisms.microaggregation import Microaggregation
from crowdlog.mechanisms.parameters import parameter

if TYPE_CHECKING:
    from crowdlog.artifacts.knowledge.mapping import Finder
    from crowdlog.artifacts.knowledge.tree import Tree
    from crowdlog.log.store import LogStore


@dataclass(frozen=True, repr=False)
class ByCategory(Microaggregation):
    """Microaggregation of users by where their queries belong in a tree."""

    tree: str = parameter(
        "the tree of categories: 'wordnet', or a file of paths such as Sports/Water Sports (with a tab and a "
        "count), or ODP's RDF",
        default=WORDNET,
    )

    @abstractmethod
    def finder(self, tree: Tree) -> Finder:
        """The categories of a query in this tree."""

    def check_inputs(self) -> None:
        super().check_inputs()
        read_tree(self.tree)

    def check_log(self, log: LogStore) -> None:
        super().check_log(log)
        tree = read_tree(self.tree)
        refuse_unknown(log, tree, self.finder(tree))

    def mapped(self, log: LogStore) -> Mapped:
        """The log in the mechanism's tree."""
        tree = read_tree(self.tree)
        return map_log(log, tree, self.finder(tree))
