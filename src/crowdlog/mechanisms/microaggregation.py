"""What all mechanisms share that give every user of a cluster the same log.

Proof: proofs/microaggregation.md.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.semantic.word_rule import NAMES, WordRule
from crowdlog.clusters.partition import EXACT, Partition, PartitionSettings, refuse_sizes
from crowdlog.extras import need
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import ANONYMITY, parameter
from crowdlog.privacy.guarantee import anonymity
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from crowdlog.clusters.host_tree import HostTree
    from crowdlog.clusters.representatives.base import Representatives
    from crowdlog.clusters.user_rows import UserRows
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.types import Ints

_AT_ONCE = 20_000  # users whose copies are made in one go
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

    k: int = parameter("how many users have the same log at least", least=2, role=ANONYMITY)
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

    def people_of_a_word(self) -> int:
        return self.rule.users

    @property
    def settings(self) -> PartitionSettings:
        return PartitionSettings(exact=self.exact, swaps=self.swaps)

    @property
    def all_pairs(self) -> bool:
        """Whether the distances of all pairs of users of a block are needed at once."""
        return self.swaps > 0

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

    def check_inputs(self) -> None:
        need("text")

    def check_log(self, log: LogStore) -> None:
        refuse_sizes(log.info.users, self.k, self.exact, pairs=self.all_pairs)

    def protect(self, log: LogStore, randomness: Randomness, **_options: Any) -> Protected:
        from crowdlog.artifacts.semantic.shown_texts import allowed_queries
        from crowdlog.clusters.user_rows import read_user_rows

        refuse_sizes(log.info.users, self.k, self.exact, pairs=self.all_pairs)
        allowed = allowed_queries(log, self.rule)  # first: it takes much memory, and little is left of it
        found = self.clusters(log)
        rows = read_user_rows(log)
        chosen = self.representatives(log, rows, found, allowed, randomness)
        site, sites = _shown_sites(rows, chosen.site, self.rule.users), rows.sites
        found = replace(found, extra=None)
        del rows, allowed  # the table takes as much again
        sizes = found.partition.sizes
        empty = np.bincount(chosen.cluster, minlength=len(sizes)) == 0
        notes: dict[str, Setting] = {
            "clusters": len(sizes),
            "users of the smallest cluster": int(sizes.min()),
            "users of the largest cluster": int(sizes.max()),
            "blocks": found.partition.blocks,
            "clusters were found": how_found(found.partition.blocks, self.settings),
            "users whose record is empty": int(sizes[empty].sum()),
            **found.notes,
        }
        table = publish_clusters(log, replace(chosen, site=site), sites, found.partition, randomness)
        return Protected({"events": table}, notes)


def how_found(blocks: int, settings: PartitionSettings) -> str:
    """Whether the clusters are those of the printed algorithm, and if not, what was done instead."""
    where = (
        "among all users at once" if blocks == 1 else f"in {blocks:,} blocks of similar users, each by itself"
    )
    changed = [where]
    if settings.once:
        changed.append("the middle found once")
    if settings.swaps:
        rounds = "round" if settings.swaps == 1 else "rounds"
        changed.append(f"then up to {settings.swaps} {rounds} of swaps")
    return ", ".join(changed) if len(changed) > 1 or blocks > 1 else f"exactly: {where}"


def publish_clusters(
    log: LogStore, chosen: Representatives, sites: HostTree, partition: Partition, randomness: Randomness
) -> pa.Table:
    """One copy of the representative for each user, under pseudonyms 1, 2, … in random order.

    Clusters are numbered by their first pseudonym: the number tells who has the same log, and no more.
    """
    import pyarrow as pa

    from crowdlog.progress import progress_bar

    users = len(partition.cluster)
    order = np.argsort(np.frombuffer(randomness.bytes(8 * users), np.uint64), kind="stable")
    cluster = partition.cluster[order]
    shown = _record_rows(log, chosen, sites)
    begin = np.searchsorted(chosen.cluster, np.arange(len(partition.sizes) + 1))
    length = np.diff(begin)[cluster]
    number = (1 + _by_first(cluster)).astype(np.int32)
    tables = [_copies(shown, *np.zeros((4, 0), np.int64))]
    with progress_bar("Writing records", users, unit="users") as advance:
        for first in range(0, users, _AT_ONCE):
            some = slice(first, min(first + _AT_ONCE, users))
            user = 1 + np.arange(some.start, some.stop)
            tables.append(_copies(shown, user, begin[cluster[some]], length[some], number[some]))
            advance(some.stop - some.start)
    return pa.concat_tables(tables)


def _record_rows(log: LogStore, chosen: Representatives, sites: HostTree) -> pa.Table:
    """The rows of all representatives, one after the other, as they are shown."""
    import pyarrow as pa

    none = chosen.site < 0
    columns: Any = {
        "query": log.query_texts(chosen.query),
        "time": chosen.time,
        "rank": pa.array(chosen.rank.astype(np.int32), mask=(chosen.rank <= 0) | none),
        "url": sites.name.take(pa.array(chosen.site, mask=none)),
    }
    return pa.table(columns)


def _copies(shown: pa.Table, user: Ints, begin: Ints, length: Ints, number: Any) -> pa.Table:
    """The record of each of these users, which begins there and is so long, in the cluster of this number."""
    import pyarrow as pa

    place = np.repeat(begin - np.cumsum(length) + length, length) + np.arange(length.sum())
    taken: Any = shown.take(pa.array(place))
    named = taken.add_column(0, "user", pa.array(np.repeat(user, length)))
    numbered: pa.Table = named.append_column("cluster", pa.array(np.repeat(number, length).astype(np.int32)))
    return numbered


def _by_first(cluster: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same clusters, numbered in the order in which they occur first."""
    _names, first, place = np.unique(cluster, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[place]


def _shown_sites(rows: UserRows, site: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    shown = site.copy()
    enough = np.append(rows.people_of_site >= least, True)
    above = np.append(rows.sites.above, np.int32(-1))  # the last entry serves −1
    while not enough[shown].all():
        shown = np.where(enough[shown], shown, above[shown])
    return shown
