"""What the attacker sees: the tables of one release, or of several releases of the same log together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.measure.cluster_owners import clusters_of
from crowdlog.measure.log_arrays import Impressions
from crowdlog.measure.records import Records, read_records
from crowdlog.measure.released import shown_queries
from crowdlog.plan.selections import AtLeast
from crowdlog.plan.table import TablePlan
from crowdlog.release.folder import Release
from crowdlog.release.label import Label
from crowdlog.types import Ints


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
