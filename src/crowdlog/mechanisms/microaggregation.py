"""What all mechanisms share that give every user of a cluster the same log.

Proof: proofs/microaggregation.md.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.semantic.word_rule import NAMES, WordRule
from crowdlog.clusters.partition import EXACT, Partition, PartitionSettings, refuse_few
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.guarantee import anonymity
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from crowdlog.clusters.representatives.base import Representatives
    from crowdlog.clusters.user_rows import UserRows
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

UNPROTECTED = (
    "A representative's texts are somebody's texts: which words they may hold is decided by word_users and "
    "names, not by k.",
    "What all users of a cluster have in common is shown: k users with one secret share it with everybody "
    "(no l-diversity).",
    "Times of rows are real times of somebody in the cluster, or means of them.",
    "Which users are alike is decided by everybody's data: one person can change every cluster.",
    "Two releases of one log, or of overlapping logs, can be intersected.",
)
SIZES = (
    "Clusters have k … 2k − 1 users; the paper's bound of 2k (§2.4) and 'X = X′' of Algorithm 1 are "
    "misprints."
)


@dataclass(frozen=True)
class Clustered:
    """The clusters of a log, with what was found out on the way. `extra`: what the operator needs again."""

    partition: Partition
    notes: dict[str, Setting]
    extra: Any = None

    def __repr__(self) -> str:
        return f"Clustered({self.partition!r})"


@dataclass(frozen=True, repr=False)
class Microaggregation(Mechanism):
    """Clusters of at least k users, and one representative log in the place of each user's own."""

    k: int = parameter("how many users have the same log at least", least=2)
    word_users: int | None = parameter(
        "how many different users must have typed every word that is shown; left out: k. 1: as the papers do",
        default=None,
        least=1,
    )
    names: str = parameter(
        "whether a text with a person's name may be shown ('allow'), or only if word_users users typed it "
        "('block')",
        default="block",
        choices=NAMES,
    )
    exact: int = parameter(
        "up to how many users clusters are found among all at once; above, in blocks of similar users",
        default=EXACT,
        least=4,
    )
    swaps: int = parameter(
        "how many rounds of swaps follow, which bring users nearer to their clusters; 0: as the papers do",
        default=0,
        least=0,
    )

    @property
    def rule(self) -> WordRule:
        """Which words keep a text from being shown."""
        return WordRule(self.k if self.word_users is None else self.word_users, self.names)

    @property
    def settings(self) -> PartitionSettings:
        return PartitionSettings(exact=self.exact, swaps=self.swaps)

    @abstractmethod
    def clusters(self, log: LogStore) -> Clustered:
        """Who is in which cluster: a function of the log and the parameters, without any lot."""

    @abstractmethod
    def representatives(
        self,
        log: LogStore,
        rows: UserRows,
        found: Clustered,
        allowed: NDArray[np.bool_],
        randomness: Randomness,
    ) -> Representatives:
        """The rows that stand for each cluster."""

    def anonymous(self, steps: tuple[Step, ...], errata: tuple[str, ...], **more: Any) -> Promise:
        """k-anonymity of users by these steps."""
        rule = self.rule
        named = (
            ", and no name of a person unless as many typed the whole text" if self.names == "block" else ""
        )
        texts = Step("Texts", f"Show only words of at least {rule.users} users{named}; sites likewise.")
        blocks = (
            f"at once up to {self.exact:,} users, in blocks of similar users above; "
            f"{self.swaps} rounds of swaps"
        )
        return Promise(
            anonymity(self.k, "k-anonymity of users"),
            (*steps, texts, Step("Replace", "Every user of a cluster gets its representative as her log.")),
            (),
            {
                "k": self.k,
                "least users of every word": rule.users,
                "names of persons": self.names,
                "clusters": blocks,
            },
            errata=(SIZES, *errata),
            unprotected=UNPROTECTED,
            proof="proofs/microaggregation.md",
            **more,
        )

    def check_log(self, log: LogStore) -> None:
        refuse_few(log.info.users, self.k)

    def protect(self, log: LogStore, randomness: Randomness, **_options: Any) -> Protected:
        from crowdlog.artifacts.semantic.shown_texts import allowed_queries
        from crowdlog.clusters.user_rows import read_user_rows

        self.check_log(log)
        found = self.clusters(log)
        rows = read_user_rows(log)
        allowed = allowed_queries(log, self.rule)
        chosen = self.representatives(log, rows, found, allowed, randomness)
        sizes = found.partition.sizes
        empty = np.bincount(chosen.cluster, minlength=len(sizes)) == 0
        notes: dict[str, Setting] = {
            "clusters": len(sizes),
            "users of the smallest cluster": int(sizes.min()),
            "users of the largest cluster": int(sizes.max()),
            "blocks": found.partition.blocks,
            "users whose record is empty": int(sizes[empty].sum()),
            **found.notes,
        }
        table = publish_clusters(log, rows, chosen, found.partition, self.rule.users, randomness)
        return Protected({"events": table}, notes)


def publish_clusters(
    log: LogStore,
    rows: UserRows,
    chosen: Representatives,
    partition: Partition,
    least: int,
    randomness: Randomness,
) -> pa.Table:
    """One copy of the representative for each user, under pseudonyms 1, 2, … in random order.

    A site that fewer than `least` users clicked is cut to what more of them share, or left out.
    """
    import pyarrow as pa

    users = len(partition.cluster)
    order = np.argsort(np.frombuffer(randomness.bytes(8 * users), np.uint64), kind="stable")
    cluster = partition.cluster[order]
    clusters = len(partition.sizes)
    begin = np.searchsorted(chosen.cluster, np.arange(clusters + 1))
    length = np.diff(begin)[cluster]
    place = np.repeat(begin[cluster] - np.cumsum(length) + length, length) + np.arange(length.sum())
    site = _shown_sites(rows, chosen.site, least)
    texts = log.query_texts(chosen.query)
    names = pa.array([*rows.sites.names(), None], pa.string())
    taken: Any = pa.array(place)
    written: Any = pa.array(np.where(site < 0, len(names) - 1, site))
    columns: Any = {
        "user": np.repeat(1 + np.arange(users), length),
        "query": texts.take(taken),
        "time": chosen.time[place],
        "rank": pa.array(chosen.rank.astype(np.int32), mask=(chosen.rank <= 0) | (site < 0)).take(taken),
        "url": names.take(written).take(taken),
    }
    return pa.table(columns)


def _shown_sites(rows: UserRows, site: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    shown = site.copy()
    enough = np.append(rows.people_of_site >= least, True)
    above = np.append(rows.sites.above, np.int32(-1))
    while not enough[shown].all():
        shown = np.where(enough[shown], shown, above[shown])
    return shown
