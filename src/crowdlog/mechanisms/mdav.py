"""Microaggregation of whole histories by MDAV (Navarro-Arribas, Torra, Erola and Castellà-Roca 2012; Erola
2013, §5.3), with a distance of your choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.clusters.partition import Partition, PartitionSettings, partition
from crowdlog.errors import InputError
from crowdlog.mechanisms.microaggregation import Clustered, Microaggregation
from crowdlog.mechanisms.parameters import parameter
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

DISTANCES = ("syntactic", "equality", "random", "vectors")
SYNTACTIC = (
    "The Hausdorff part of d_φ has double weight, as the text says (l. 'double weight'); the printed eq. "
    "5.1 doubles the difference of lengths.",
    "The square roots of eq. 5.1 and 5.4, as printed, cover d_H as well: only the differences are meant, |Δ| "
    "= √(Δ²).",
    "Host labels: m + 1 of them have the weights 2^(m−i)/(2^(m+1) − 1), which sum to 1; "
    "one that the shorter name lacks is different.",
    "A query without a click has rank 0; two queries without a site are 0 apart in it, one with and one "
    "without 1.",
    "The centroid of all users gives each less than one query: the queries of ℂ are shared out by largest "
    "remainder.",
)
ERRATA = (
    "A representative's shares are rounded by largest remainder, and strings of equal frequency are taken "
    "evenly from the whole history.",
    "Time and rank are means over the run of rows that a query stands for; "
    "the site is what their sites end in, none if nothing is common.",
    "Distances are whole numbers, so that sums do not depend on their order.",
)


@dataclass(frozen=True, repr=False)
class Mdav(Microaggregation):
    """Cluster users by how their rows look, and let each give queries that keep the frequencies of hers."""

    title: ClassVar[str] = "Histories of at least k users alike by words, sites, times and ranks"
    example: ClassVar[str] = "Mdav(k=5)"
    source: ClassVar[str] = "Navarro-Arribas, Torra, Erola, Castellà-Roca: IPM 48(3), 2012; Erola 2013, §5.3"
    formula: ClassVar[str] = (
        "clusters of k to 2k − 1 users; every user of a cluster gets one and the same history"
    )

    distance: str = parameter(
        "syntactic (§5.3), equality of queries (the 'no semantics' of §5.5.2.2), random (a baseline) or "
        "vectors",
        default="syntactic",
        choices=DISTANCES,
    )
    vectors: str | None = parameter(
        "for distance='vectors': a file of lines USER<tab>number<tab>number…, one for each user", default=None
    )
    medoid: str = parameter(
        "whether the middle of the users left is found for each pair of clusters, or 'once'",
        default="each",
        choices=("each", "once"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.vectors is not None) != (self.distance == "vectors"):
            raise InputError(
                "Mdav takes a file of vectors with distance='vectors', and with no other distance. "
                f"Got distance={self.distance!r} and vectors={self.vectors!r}."
            )

    def check_log(self, log: LogStore) -> None:
        super().check_log(log)
        if self.vectors is not None:
            from crowdlog.clusters.distances.vectors import read_vectors

            read_vectors(self.vectors, log)

    @property
    def settings(self) -> PartitionSettings:
        return PartitionSettings(exact=self.exact, swaps=self.swaps, once=self.medoid == "once")

    def promise(self) -> Promise:
        steps = (
            Step(
                "Clusters",
                f"MDAV makes clusters of {self.k} to {2 * self.k - 1} users by {self.distance} distance.",
            ),
            Step(
                "Representative",
                "Each user gives her share of rows, which keep the frequencies of her queries.",
            ),
        )
        return self.anonymous(steps, (*(SYNTACTIC if self.distance == "syntactic" else ()), *ERRATA))

    def clusters(self, log: LogStore) -> Clustered:
        return Clustered(self._partition(log), {})

    def _partition(self, log: LogStore) -> Partition:
        from crowdlog.clusters.distances.at_random import RandomDistance
        from crowdlog.clusters.distances.semantic import equality
        from crowdlog.clusters.distances.vectors import VectorDistance, read_vectors
        from crowdlog.clusters.profiles import query_profiles

        if self.distance == "syntactic":
            from crowdlog.clusters.distances.syntactic import read_syntactic

            return partition(read_syntactic(log), self.k, self.settings)
        if self.distance == "vectors":
            return partition(VectorDistance(read_vectors(self.vectors or "", log)), self.k, self.settings)
        if self.distance == "equality":
            return partition(equality(query_profiles(log)), self.k, self.settings)
        return partition(RandomDistance(log.info.users), self.k, self.settings)

    def representatives(self, _log: Any, rows: Any, found: Clustered, allowed: Any, _randomness: Any) -> Any:
        from crowdlog.clusters.representatives.frequencies import keep_frequencies

        return keep_frequencies(rows, found.partition.members, allowed)
