"""Microaggregation by common categories of a directory (Erola et al. 2010 and 2011; Erola 2013, §5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.clusters.partition import Partition, refuse_few
from crowdlog.mechanisms.category_tree import read_tree, tree_parameter
from crowdlog.mechanisms.microaggregation import Clustered, Microaggregation
from crowdlog.mechanisms.parameters import parameter
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.clusters.distances.common import CommonDistance
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
class OdpClusters(Microaggregation):
    """Join the users who share most categories, and let each give queries by repetition until her quota."""

    title: ClassVar[str] = "Histories of at least k users who share categories of a directory"
    example: ClassVar[str] = "OdpClusters(k=5)"
    source: ClassVar[str] = "Erola, Castellà-Roca, Navarro-Arribas, Torra: SORT, 2011; Erola 2013, §5.4"

    tree: str = tree_parameter()
    categories: int = parameter(
        "how many categories of each word count; the paper tries 1 and 5", default=1, least=1
    )
    # only 57 % of its queries reach level 5 (§5.4.4.3)
    levels: int = parameter("down to which level of the tree categories are compared", default=5, least=1)

    def check_inputs(self) -> None:
        read_tree(self.tree)

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
        from crowdlog.artifacts.knowledge.mapping import by_words
        from crowdlog.clusters.distances.common import odp
        from crowdlog.mechanisms.category_tree import map_log

        tree = read_tree(self.tree)
        mapped = map_log(log, tree, by_words(tree, self.categories))
        distance = odp(mapped.profiles, tree, self.levels)
        return Clustered(self._join(distance), mapped.notes())

    def _join(self, distance: CommonDistance) -> Partition:
        """Algorithm 4, in each block of similar users where there are too many for one matrix."""
        from crowdlog.clusters.blocks import bisect
        from crowdlog.clusters.greedy import greedy
        from crowdlog.clusters.swaps import swap
        from crowdlog.progress import progress_bar

        refuse_few(distance.users, self.k)
        blocks = bisect(distance, self.exact)
        cluster = np.empty(distance.users, np.int64)
        first = 0
        with progress_bar("Finding users alike", distance.users, unit="users") as advance:
            for users in blocks:
                part = distance.part(users)
                found = greedy(part.similarity(2), self.k)
                if self.swaps:
                    found = swap(part.matrix(2), found, self.swaps)
                cluster[users] = found + first
                first += int(found.max(initial=-1)) + 1
                advance(len(users))
        return Partition(cluster, len(blocks))

    def representatives(self, _log: Any, rows: Any, found: Clustered, allowed: Any, randomness: Any) -> Any:
        from crowdlog.clusters.representatives.contributions import contribute

        return contribute(rows, found.partition.members, allowed, randomness)
