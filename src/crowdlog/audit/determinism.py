"""The source audit: all randomness comes from the object that was handed over, and the order of rows follows
from what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crowdlog.audit.finding import Finding
from crowdlog.audit.public_inputs import equipped
from crowdlog.audit.sampling import flat, worlds_of
from crowdlog.privacy.randomness import SeededRandomness

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.audit.synthetic_logs import SyntheticLogs, WorldLayout
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.release.promise import Protected


def audit_determinism(mechanism: Mechanism, logs: SyntheticLogs, layout: WorldLayout) -> list[Finding]:
    """Three runs on one log: twice with the same random numbers, once with others."""
    log, mechanism = logs.log(layout, with_person=False), equipped(mechanism, logs, layout)
    first, again, other = (mechanism.protect(log, SeededRandomness(seed)) for seed in (1, 1, 2))
    unsorted = sum(not _sorted(table) for table in first.tables.values())
    certain = [
        (_certain(first.tables[name], layout), _certain(other.tables[name], layout)) for name in first.tables
    ]
    repeated = any(one.num_rows and one.equals(two) for one, two in certain)
    return [
        _finding(
            "same random numbers",
            not _equal(first, again),
            "The same random numbers must give the same release.",
        ),
        _finding(
            "other random numbers", repeated, "Other random numbers must give other noise in every table."
        ),
        _finding(
            "order of rows", unsorted > 0, "Rows must be sorted by what is published: count, then text."
        ),
    ]


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


def _sorted(table: pa.Table) -> bool:
    table = flat(table)
    texts = [name for name in table.column_names if str(table.schema.field(name).type) == "string"]
    return bool(
        table.equals(table.sort_by([("count", "descending"), *((name, "ascending") for name in texts)]))
    )
