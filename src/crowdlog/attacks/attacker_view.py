"""What the attacker sees: the tables of one release, or of several releases of the same log together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.attacks.cluster_owners import clusters_of, owners_in_clusters
from crowdlog.errors import InputError
from crowdlog.measure.log_arrays import Impressions, count_matrix
from crowdlog.measure.ragged import counting
from crowdlog.measure.released import shown_queries
from crowdlog.plan.selections import AtLeast
from crowdlog.plan.table import TablePlan
from crowdlog.release.folder import Release
from crowdlog.release.label import Label
from crowdlog.types import Ints

MANY = 1000  # people with the same query in the same second: more tell nothing about whose row it is


@dataclass(frozen=True)
class Records:
    """A release of rows.

    `counts`: records by queries, texts the log does not have behind its own; `owner`: whose each record is,
    or −1.
    """

    counts: Any
    owner: Ints

    def __repr__(self) -> str:
        return f"Records({len(self.owner)})"


@dataclass(frozen=True)
class AttackerView:
    """Tables by name, and the labels they came with."""

    tables: dict[str, pa.Table]
    labels: Sequence[Label]

    @classmethod
    def of(cls, *releases: Release) -> AttackerView:
        tables: dict[str, Any] = {}
        for release in releases:
            for name in release.tables:
                if name in tables:
                    raise InputError(f"Two of the releases have a table of {name}. Attack them one by one.")
                tables[name] = release.table(name)
        if not sum(table.num_rows for table in tables.values()):
            raise InputError(
                f"{releases[0].path} is empty: it publishes nothing, so there is nothing to attack."
            )
        return cls(tables, [release.label for release in releases])

    def __repr__(self) -> str:
        return f"AttackerView({', '.join(self.tables)})"

    @property
    def mechanisms(self) -> list[str]:
        """The spelling of each mechanism."""
        return [spelling for label in self.labels for spelling in label.mechanisms]

    @property
    def exact(self) -> bool:
        """No release protects its counts with noise, so what they imply is certain."""
        return not any(label.promise.guarantee.protects for label in self.labels)

    @property
    def impressions(self) -> bool:
        """All counts are of impressions."""
        return all(label.promise.counts == "impressions" for label in self.labels)

    @property
    def plans(self) -> list[TablePlan]:
        """The plan of every table of counts."""
        return [plan for label in self.labels for plan in label.plans]

    @property
    def adjacent(self) -> bool:
        """Pairs, if any, are of a query and the very next one, in order."""
        return all(plan.artifact.kind == "pair" for plan in self.plans if plan.name == "pairs")

    @property
    def least_people(self) -> int:
        """How many people stand behind what is published, by exact thresholds; 1 where nothing is said."""
        return min(
            (plan.selection.k for plan in self.plans if isinstance(plan.selection, AtLeast)), default=1
        )

    def why_not_exact(self) -> str:
        """Why exact reasoning about queries and pairs is not possible, or ''."""
        if not {"queries", "pairs"} <= self.tables.keys():
            return "Needs a table of queries and one of pairs: give the releases of both."
        if not self.exact:
            return "Counts carry noise: nothing follows from them with certainty."
        return (
            ""
            if self.impressions and self.adjacent
            else "Needs impressions of queries and of pairs of adjacent queries."
        )

    def queries(self, truth: Impressions) -> tuple[Ints, Ints] | None:
        """Query ids of the log and their published counts. Texts the log does not have are left out."""
        table = self.tables.get("queries")
        if table is None:
            return None
        ids = truth.texts.find(table["query"])
        return ids[ids >= 0], table["count"].to_numpy()[ids >= 0]

    def pairs(self, truth: Impressions) -> tuple[Ints, Ints, Ints]:
        """First query, next query, count."""
        table = self.tables["pairs"]
        first, second = truth.texts.find(table["query"]), truth.texts.find(table["next_query"])
        known = (first >= 0) & (second >= 0)
        return first[known], second[known], table["count"].to_numpy()[known]

    def query_ids(self, truth: Impressions) -> Ints:
        """Every query of the log that can be read in some table, once."""
        ids = truth.texts.find(shown_queries(self.tables))
        return ids[ids >= 0]

    def records(self, truth: Impressions) -> Records | None:
        """The published rows as one record per pseudonym, or None when no rows are published."""
        if "events" not in self.tables:
            return None
        return read_records(self.tables["events"], truth, clusters_of(self.mechanisms, truth))


def read_records(events: Any, truth: Impressions, cluster: Ints | None = None) -> Records:
    """One record per pseudonym.

    Its owner, which only we know, is found by query and second: most of its rows are that user's. `cluster`:
    the cluster of each user, where users of a cluster have the same record.
    """
    record = events["user"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
    time, query = events["time"].cast("int64").to_numpy(), truth.texts.find(events["query"])
    unknown = query < 0
    if unknown.any():
        others = events["query"].combine_chunks().filter(unknown).dictionary_encode().indices.to_numpy()
        query[unknown] = truth.queries + others
    order = np.lexsort((query, time, record))
    rows = np.stack([record, time, query])[:, order]
    # an impression is one (user, time, query), as in the store
    new = (np.diff(rows, axis=1, prepend=-1) != 0).any(axis=0)
    record, time, query = rows[:, new]
    records, width = int(record.max(initial=-1)) + 1, max(truth.queries, int(query.max(initial=-1)) + 1)
    owner = _owners(record, time, query, records, truth)
    if cluster is not None:
        owner = owners_in_clusters(record, time, cluster, truth)
    return Records(count_matrix(record, query, (records, width)), owner)


def _owners(record: Ints, time: Ints, query: Ints, records: int, truth: Impressions) -> Ints:
    keys = pack(truth.query, truth.time)
    order = np.argsort(keys, kind="stable")
    wanted, keys = pack(query, time), keys[order]
    start, end = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    matches = np.where(end - start <= MANY, end - start, 0)
    place = np.repeat(start, matches) + counting(matches)
    votes, number = np.unique(pack(np.repeat(record, matches), truth.user[order][place]), return_counts=True)
    owner = np.full(records, -1, np.int64)
    rising = np.argsort(number, kind="stable")
    voted, voter = unpack(votes[rising])
    owner[voted] = voter  # the last, largest vote stays
    return owner
