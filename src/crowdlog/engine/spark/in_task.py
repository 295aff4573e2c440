"""What one machine's engine does with the whole log, done in a task with the rows of some users: the same
expressions, by the same DuckDB. Every artifact and every bound looks at one user, so the parts add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from crowdlog.engine.spark.blocks import StoreBlock
from crowdlog.engine.spark.exchange import Sent, by_share
from crowdlog.files.patterns import for_duckdb
from crowdlog.log.store import LogStore
from crowdlog.plan.decide import TableCounts
from crowdlog.types import Ints

EVENTS = "events"
_MERGED = """SELECT key, sum(impressions)::BIGINT AS impressions, sum(users)::BIGINT AS users
FROM counts GROUP BY key"""


def unbound_events(log: LogStore) -> Any:
    """The events as an Ibis table that no engine stands behind."""
    import ibis  # on the driver alone: tasks get the SQL, and would load it for nothing

    from crowdlog.log.parts import opened_part, part_files

    with opened_part(part_files(log.there("events.parquet"))[0]) as file:
        return ibis.table(ibis.Schema.from_pyarrow(file.schema_arrow), name=EVENTS)


@dataclass(frozen=True, repr=False)
class Statement:
    """SQL and the columns of the events that it reads. It may hold a secret: its repr does not show it."""

    sql: str
    columns: tuple[str, ...]

    @classmethod
    def of(cls, expression: Any, events: Any) -> Statement:
        import ibis

        sql = str(ibis.to_sql(expression, dialect="duckdb"))
        return cls(sql, tuple(name for name in events.columns if f'"{name}"' in sql) or ("user",))

    def run(self, block: StoreBlock) -> pa.Table:
        files = block.files_here()
        if files is None:  # DuckDB reads no addresses
            return run_sql(self.sql, {EVENTS: block.read(self.columns)})
        low, high = block.users
        with _database() as db:
            rows = db.from_parquet([for_duckdb(file) for file in files], hive_partitioning=False)
            # Row groups of others are not read: files note the users of each.
            rows.filter(f'"user" BETWEEN {low} AND {high}').create_view(EVENTS)
            found: pa.Table = db.sql(self.sql).to_arrow_table()
            return found


def run_sql(sql: str, tables: Mapping[str, pa.Table]) -> pa.Table:
    with _database() as db:
        for name, table in tables.items():
            db.register(name, table)
        found: pa.Table = db.sql(sql).to_arrow_table()
        return found


@contextmanager
def _database() -> Iterator[Any]:
    """In memory and on one thread: Spark gives as many tasks as there are cores."""
    import duckdb

    with duckdb.connect(config={"threads": 1, "temp_directory": ""}) as db:
        db.execute("SET enable_progress_bar = false")
        yield db


def numbers(table: pa.Table, *names: str) -> tuple[Ints, ...]:
    return tuple(table[name].to_numpy().astype("int64", copy=False) for name in names)


def counts_by_share(statement: Statement, shares: int, block: StoreBlock) -> Iterator[Sent]:
    """The counts of a block's keys, for each share of the keys."""
    key, impressions, users = numbers(statement.run(block), "key", "impressions", "users")
    for share, mine in by_share(key, shares):
        yield share, (key[mine], impressions[mine], users[mine])


def merged(messages: Iterator[Sent]) -> Iterator[TableCounts]:
    """The counts of a share's keys, by rising keys."""
    tables = [
        pa.table({"key": key, "impressions": impressions, "users": users})
        for _share, (key, impressions, users) in messages
    ]
    if tables:
        whole = run_sql(_MERGED, {"counts": pa.concat_tables(tables)}).sort_by("key")
        key, impressions, users = numbers(whole, "key", "impressions", "users")
        yield TableCounts(key, impressions, users)
