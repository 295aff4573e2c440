"""Semantic microaggregation by MDAV (Batet, Erola, Sánchez and Castellà-Roca 2013; Erola 2013, §5.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.clusters.partition import PartitionSettings, partition
from crowdlog.mechanisms.by_category import ByCategory
from crowdlog.mechanisms.microaggregation import Clustered
from crowdlog.mechanisms.parameters import parameter
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.artifacts.knowledge.mapping import Finder
    from crowdlog.artifacts.knowledge.tree import Tree
    from crowdlog.log.store import LogStore

ERRATA = (
    "A user whose queries map to nothing is at distance 1 of all others, at 0 of her like; "
    "a cluster of such users has an empty record.",
    "Ties of the medoid, of the farthest and of the nearest user, and of the centroid category, go to the "
    "lowest number.",
    "Eq. 5.15 sorts a user's categories by w·δ(z, c), which pushes her most frequent ones back; "
    "order='nearest' sorts by δ alone.",
    "A user's quota is rounded by largest remainder; the last category gives as many repetitions as the "
    "quota still takes.",
    "A category is replaced by a query of that category alone if there is one, else by one of several noun "
    "phrases.",
    "The paper names no time, rank or URL: a row has the time of the user's row its category comes from, "
    "rank and site of the query's own row.",
    "Distances are whole numbers, so that sums do not depend on their order.",
)


@dataclass(frozen=True, repr=False)
class SemanticMdav(ByCategory):
    """Cluster users by what their queries mean, and give each the categories nearest to her cluster's middle,
    in random queries of the whole log.
    """

    title: ClassVar[str] = "Histories of at least k users alike by the meaning of their queries"
    example: ClassVar[str] = "SemanticMdav(k=5)"
    source: ClassVar[str] = (
        "Batet, Erola, Sánchez, Castellà-Roca: Information Sciences 242, 2013; Erola 2013, §5.5"
    )
    formula: ClassVar[str] = "clusters of k to 2k − 1 users by meaning; one history for all of them"

    order: str = parameter(
        "which categories a user gives first: 'paper' by w·δ to the middle (eq. 5.15), 'nearest' by δ alone",
        default="paper",
        choices=("paper", "nearest"),
    )
    medoid: str = parameter(
        "whether the middle of the users left is found for each pair of clusters, or 'once'",
        default="each",
        choices=("each", "once"),
    )

    @property
    def settings(self) -> PartitionSettings:
        return PartitionSettings(exact=self.exact, swaps=self.swaps, once=self.medoid == "once")

    def finder(self, tree: Tree) -> Finder:
        from crowdlog.artifacts.knowledge.mapping import by_phrases

        return by_phrases(tree)

    def promise(self) -> Promise:
        steps = (
            Step("Meaning", "Noun phrases of each query are looked up in a tree of categories (§5.5.1.1)."),
            Step(
                "Clusters", f"MDAV makes clusters of {self.k} to {2 * self.k - 1} users by semantic distance."
            ),
            Step(
                "Representative",
                "Categories nearest to the cluster's middle, as random queries that mean them.",
            ),
        )
        return self.anonymous(steps, ERRATA)

    def clusters(self, log: LogStore) -> Clustered:
        from crowdlog.clusters.distances.semantic import semantic

        mapped = self.mapped(log)
        found = partition(semantic(mapped.profiles, mapped.tree), self.k, self.settings)
        return Clustered(found, mapped.notes(), mapped)

    def representatives(self, _log: Any, rows: Any, found: Clustered, allowed: Any, randomness: Any) -> Any:
        from crowdlog.clusters.representatives.categories import CategoryRows, replace_categories

        mapped = found.extra
        return replace_categories(
            CategoryRows(rows, mapped.mapping, allowed),
            mapped.profiles,
            found.partition.members,
            mapped.tree,
            randomness,
            weighted=self.order == "paper",
        )
