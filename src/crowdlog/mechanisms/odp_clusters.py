"""Microaggregation by common categories of a directory (Erola et al. 2010 and 2011; Erola 2013, §5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.clusters.partition import partition
from crowdlog.mechanisms.by_category import ByCategory
from crowdlog.mechanisms.microaggregation import Clustered
from crowdlog.mechanisms.parameters import parameter
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.artifacts.knowledge.mapping import Finder
    from crowdlog.artifacts.knowledge.tree import Tree
    from crowdlog.log.store import LogStore

ERRATA = (
    "Eq. 5.5 intersects sets, Algorithm 3 adds the smaller of two counts: the algorithm is followed.",
    "Algorithm 3 fills the diagonal, so the highest cell would be a user with herself: it is left out.",
    "Algorithm 4's loop runs while at least k users are left (printed: ≤ k); "
    "leftovers join the last cluster (⌊n/k⌋ clusters, not ⌈n/k⌉).",
    "Algorithm 5 adds the column of u_i to u_ρ, the row of u_ρ to u_i, and deletes u_ρ: rows are added "
    "symmetrically.",
    "Contrib·repetitions above 1 gives that many copies for sure, the rest by lot: 3 × .4 is one copy and a "
    "second with probability .2.",
    "Quotas are rounded by largest remainder; a user whose list is empty before her quota is gone through "
    "again.",
    "A row of the representative is one of the user's own rows, with its time, rank and site.",
)


@dataclass(frozen=True, repr=False)
class OdpClusters(ByCategory):
    """Join the users who share most categories, and let each give queries by repetition until her quota."""

    title: ClassVar[str] = "Histories of at least k users who share categories of a directory"
    example: ClassVar[str] = "OdpClusters(k=5)"
    source: ClassVar[str] = "Erola, Castellà-Roca, Navarro-Arribas, Torra: SORT, 2011; Erola 2013, §5.4"
    formula: ClassVar[str] = "clusters of k to 2k − 1 users by shared categories; one history for all of them"

    categories: int = parameter(
        "how many categories of each word count; the paper tries 1 and 5", default=1, least=1
    )
    # only 57 % of its queries reach level 5 (§5.4.4.3)
    levels: int = parameter("down to which level of the tree categories are compared", default=5, least=1)

    @property
    def all_pairs(self) -> bool:
        return True

    def finder(self, tree: Tree) -> Finder:
        from crowdlog.artifacts.knowledge.mapping import by_words

        return by_words(tree, self.categories)

    def promise(self) -> Promise:
        steps = (
            Step(
                "Categories",
                f"The first {self.categories} of each word, cut at levels 1 to {self.levels} (Algorithm 2).",
            ),
            Step(
                "Clusters", f"The most similar users are joined until they are {self.k} (Algorithms 3 to 5)."
            ),
            Step(
                "Representative",
                "Queries by falling repetitions, by lot, until each user's quota (Algorithm 6).",
            ),
        )
        return self.anonymous(steps, ERRATA)

    def clusters(self, log: LogStore) -> Clustered:
        from crowdlog.clusters.distances.common import odp, similar

        mapped = self.mapped(log)
        distance = odp(mapped.profiles, mapped.tree, self.levels)
        return Clustered(partition(distance, self.k, self.settings, similar), mapped.notes())

    def representatives(self, _log: Any, rows: Any, found: Clustered, allowed: Any, randomness: Any) -> Any:
        from crowdlog.clusters.representatives.contributions import contribute

        return contribute(rows, found.partition.members, allowed, randomness)
