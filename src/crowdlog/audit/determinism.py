"""The source audit: all randomness comes from the object that was handed over, a log is published as the
other audits saw it decided, and the order of rows follows from what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.audit.answers import decided, named, protected_log
from crowdlog.audit.finding import Finding
from crowdlog.audit.public_inputs import equipped
from crowdlog.audit.sampling import Remembered, flat, worlds_of
from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.promise import Protected

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.audit.synthetic_logs import SyntheticLogs, WorldLayout
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


def audit_determinism(mechanism: Mechanism, logs: SyntheticLogs, layout: WorldLayout) -> list[Finding]:
    """Three runs on one log: twice with the same random numbers, once with others."""
    log, mechanism = logs.log(layout, with_person=False), equipped(mechanism, logs, layout)
    first, other = (protected_log(mechanism, log, SeededRandomness(seed)) for seed in (1, 2))
    again = _as_audited(mechanism, log, SeededRandomness(1))
    kinds = {plan.name: plan.artifact for plan in mechanism.plan}
    public = {name: kind.values for name, kind in kinds.items() if isinstance(kind, Breakdown)}
    unsorted = sum(
        not (_listed(table, public[name]) if name in public else _sorted(table))
        for name, table in first.tables.items()
    )
    # of names without counts and of public values, whole tables: there the choice, or the noise, must differ
    whole = {plan.name for plan in mechanism.plan if plan.names_only} | public.keys()
    compared = [
        [table if name in whole else _certain(table, layout) for table in (own, other.tables[name])]
        for name, own in first.tables.items()
    ]
    repeated = any(one.num_rows and one.equals(two) for one, two in compared)
    return [
        _finding(
            "same random numbers",
            not _equal(first, again),
            "The same random numbers must give the same release, audited or not.",
        ),
        _finding(
            "other random numbers", repeated, "Other random numbers must give other noise in every table."
        ),
        _finding(
            "order of rows",
            unsorted > 0,
            "Rows must be sorted by what is published: count, then text; or be public values in order.",
        ),
    ]


def _as_audited(mechanism: Mechanism, log: LogStore, randomness: Randomness) -> Protected:
    """A release by the way on which the other audits ask: a mechanism could tell the sources apart."""
    if type(mechanism).protect is not Mechanism.protect:
        return protected_log(mechanism, log, randomness)
    with mechanism.open(log) as source:
        return named(mechanism, source, decided(mechanism, Remembered(source), randomness))


def _finding(where: str, alarm: bool, meaning: str) -> Finding:
    return Finding("source", where, 0, float(alarm), alarm, meaning)


def _certain(table: pa.Table, layout: WorldLayout) -> pa.Table:
    """The rows of the largest crowds, which are always shown: only their noise can differ."""
    rows = flat(table).filter(worlds_of(table) < layout.worlds)
    certain: pa.Table = rows.sort_by([(name, "ascending") for name in rows.column_names if name != "count"])
    return certain


def _equal(one: Protected, two: Protected) -> bool:
    return one.tables.keys() == two.tables.keys() and all(
        table.equals(two.tables[name]) for name, table in one.tables.items()
    )


def _listed(table: pa.Table, values: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the rows are all public values, in their public order."""
    texts = [table.column(place).to_pylist() for place in range(len(values[0]))]
    return list(zip(*texts, strict=True)) == list(values)


def _sorted(table: pa.Table) -> bool:
    table = flat(table)
    texts = [name for name in table.column_names if str(table.schema.field(name).type) == "string"]
    return bool(
        table.equals(table.sort_by([("count", "descending"), *((name, "ascending") for name in texts)]))
    )
