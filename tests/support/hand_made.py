"""Fixtures that make a store or a release of rows that can be reckoned with by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.plan.bounds import Unbounded
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.assemble import Draft
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.label import Label
from crowdlog.release.promise import Promise
from tests.support.logs import with_budget

KINDS = {
    "queries": Artifact("query"),
    "clicks": Artifact("click"),
    "pairs": Artifact("pair"),
    "sessions": Sequences(),
}
Row = tuple[str, int, str, int | None, str | None]  # user, seconds, query, rank, url


@pytest.fixture
def make_store(tmp_path: Path) -> Callable[..., LogStore]:
    """Import rows (user, seconds, query, rank, url) into a store."""

    def make(rows: Sequence[Row], name: str = "store") -> LogStore:
        lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
        for user, seconds, query, rank, url in rows:
            hours, rest = divmod(seconds, 3600)
            time = f"2006-03-{1 + hours // 24:02d} {hours % 24:02d}:{rest // 60:02d}:{rest % 60:02d}"
            lines.append(f"{user}\t{query}\t{time}\t{rank or ''}\t{url or ''}")
        source = tmp_path / f"{name}.tsv"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return with_budget(import_log([source], tmp_path / name))

    return make


@pytest.fixture
def make_release(tmp_path: Path) -> Callable[..., Release]:
    """Write a release folder of tables of rows. `mechanism`: whose plan the label carries."""
    import pyarrow as pa

    columns = {
        "queries": ["query"],
        "clicks": ["query", "url"],
        "pairs": ["query", "next_query"],
        "sessions": ["sequence"],
    }

    def make(
        source: str,
        name: str = "release",
        counts: Any = "impressions",
        mechanism: str = "",
        **tables: Any,
    ) -> Release:
        made = {}
        if "events" in tables:
            user, time, query, rank, url = zip(*tables.pop("events"), strict=True)
            made["events"] = pa.table(
                {"user": user, "query": query, "time": time, "rank": pa.array(rank, pa.int32()), "url": url}
            )
        for table, rows in tables.items():
            names = [*columns[table], "count"]
            types = [
                pa.list_(pa.string()) if column == "sequence" else pa.string() for column in columns[table]
            ] + [pa.int64()]
            made[table] = pa.table(
                {
                    n: pa.array([row[i] for row in rows], t)
                    for i, (n, t) in enumerate(zip(names, types, strict=True))
                }
            )
        promise = parse(mechanism).promise() if mechanism else _exact(tables, counts)
        return write_folder(tmp_path / name, draft(made, source, mechanism or "Test()", promise))

    return make


def draft(tables: Mapping[str, Any], source: str, mechanism: str, promise: Promise) -> Draft:
    """Any tables, with a label that says they are of this mechanism and keep this promise."""
    rows = {name: table.num_rows for name, table in tables.items()}
    return Draft(Label((mechanism,), promise, rows, source), tables)


def _exact(tables: Iterable[str], counts: Any) -> Promise:
    """Everything as it is: each table with exact counts of all that people did."""
    plans = tuple(TablePlan(KINDS[table], counts, Unbounded(), None, None) for table in tables)
    return Promise(NO_GUARANTEE, (), plans)
