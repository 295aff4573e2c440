"""A check of a table with exact counts: every row is counted again in the log it was made from.

Nothing random stands between such a table and the log, so what is published can be made anew and compared
row by row: texts, counts, who is missing. Tables with noise cannot: nobody kept the noise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crowdlog.artifacts.kinds import Artifact
from crowdlog.plan.selections import AtLeast
from crowdlog.privacy.randomness import SystemRandomness

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.plan.table import TablePlan


@dataclass(frozen=True)
class ExactVerdict:
    """What the check found in one table; numbers only."""

    table: str
    rows: int
    least: int  # how many people or times the plan asks for, at the least
    on: str  # which of the two: "users" or "impressions"
    duplicates: int  # rows that repeat the text of another row
    unknown: int  # rows that are not in the log, or too rarely
    wrong_counts: int  # rows with another count than the log's
    missing: int  # rows that should be there

    @property
    def holds(self) -> bool:
        return not self.faults()

    def faults(self) -> dict[str, int]:
        """What is wrong, in words, with how many rows."""
        said = {
            "stand there twice": self.duplicates,
            "are not in the log, or not often enough": self.unknown,
            "have a false count": self.wrong_counts,
            "are missing": self.missing,
        }
        return {words: number for words, number in said.items() if number}


def exact_plans(plans: Iterable[TablePlan]) -> list[TablePlan]:
    """Those of tables that can be counted again: chosen by an exact number, published without noise."""
    return [
        plan
        for plan in plans
        if isinstance(plan.selection, AtLeast) and plan.noise is None and isinstance(plan.artifact, Artifact)
    ]


def verify_exact(log: LogStore, plan: TablePlan, released: pa.Table | None) -> ExactVerdict:
    """Compare a table with what its plan makes of the log."""
    from crowdlog.engine.log_source import open_log
    from crowdlog.plan.decide import by_counts

    if not isinstance(plan.selection, AtLeast) or not isinstance(plan.artifact, Artifact):
        raise TypeError("a table chosen with noise cannot be counted again")
    nothing_random = SystemRandomness()  # it is never asked for anything: there is no noise
    with open_log(log, plan.artifact.representation) as source:
        counted = source.counts(plan, nothing_random)
        expected = source.table(plan, by_counts(plan, counted, nothing_random))
    true = _counts(expected, plan.artifact.columns)
    said = _rows(released, plan.artifact.columns)
    texts = Counter(text for text, _count in said)
    return ExactVerdict(
        table=plan.name,
        rows=len(said),
        least=plan.selection.k,
        on=plan.selection.on,
        duplicates=len(said) - len(texts),
        unknown=sum(text not in true for text, _count in said),
        wrong_counts=sum(text in true and true[text] != count for text, count in said),
        missing=sum(text not in texts for text in true),
    )


_Row = tuple[tuple[str, ...], int]


def _rows(table: pa.Table | None, columns: tuple[str, ...]) -> list[_Row]:
    """The texts of each row and its count."""
    if table is None:
        return []
    texts = zip(*(table[name].to_pylist() for name in columns), strict=True)
    return list(zip(texts, table["count"].to_numpy().tolist(), strict=True))


def _counts(table: pa.Table, columns: tuple[str, ...]) -> dict[tuple[str, ...], int]:
    return dict(_rows(table, columns))
