"""Parquet: any table with the columns of a log, also inside structures (`a.b`); numbers, days and time stamps
are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from crowdlog.errors import InputError
from crowdlog.files.address import opened
from crowdlog.files.patterns import for_duckdb
from crowdlog.log.columns import ROLES, Batch, Texts
from crowdlog.log.formats.arrow_text import from_arrow, no_texts
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.records import connection
from crowdlog.log.formats.table_roles import TableRead, refuse_twice, table_roles
from crowdlog.log.sources import SourceFile, is_packed
from crowdlog.progress import Advance

_ROWS = 1 << 16  # rows of a batch
_FRACTIONS = ("DECIMAL", "DOUBLE", "FLOAT")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_OTHERS = ("VARCHAR", "DATE", "ENUM", "UUID", *_WHOLE, *(f"U{name}" for name in _WHOLE))


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins so is Parquet: no text, where PAR1 may be a person."""
    return re.match(rb"PAR1[^\t\r\n -\xff]", head) is not None


def read(source: SourceFile, options: ReadOptions) -> TableRead:
    types = columns_of(source)
    roles = table_roles(source, options, list(types))
    with source.here() as path:
        names = pq.read_schema(path).names
    refuse_twice(source, names, roles)  # DuckDB gives the second another name
    taken = {role: _text(name, types[name], source) for role, name in roles.columns.items()}
    return TableRead(source, roles, partial(_read, source, taken))


@dataclass(frozen=True)
class _Column:
    sql: str
    type: str


def columns_of(source: SourceFile) -> dict[str, _Column]:
    """Every column by its name, and those inside structures by their path."""
    import duckdb

    try:
        with source.here() as path, connection() as db:
            described = db.execute(
                "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)",
                [for_duckdb(path)],
            ).fetchall()
            found: dict[str, _Column] = {}
            for row in described:
                found.update(_leaves(db, str(row[0]), _quoted(str(row[0])), str(row[1])))
    except duckdb.Error:
        with opened(source.path) as file:
            packed = is_packed(file.read(4))
        why = "is packed once more: unpack it" if packed else "is no readable Parquet file. Get it again"
        raise InputError(f"{source.name} {why}, or say the right --format.") from None
    return found


def _leaves(db: Any, name: str, sql: str, kind: str) -> dict[str, _Column]:
    if not kind.startswith("STRUCT") or kind.endswith("]"):
        return {name: _Column(sql, kind)}
    found: dict[str, _Column] = {}
    for row in db.execute(f"DESCRIBE SELECT unnest(NULL::{kind})").fetchall():
        inner = str(row[0])
        found.update(_leaves(db, f"{name}.{inner}", f"{sql}.{_quoted(inner)}", str(row[1])))
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(name: str, column: _Column, source: SourceFile) -> str:
    """SQL that gives the column as text."""
    sql = column.sql
    if column.type.startswith("TIMESTAMP"):
        return f"floor(epoch({sql}))::BIGINT::VARCHAR"
    if column.type.startswith(_FRACTIONS):  # whole numbers with gaps are kept as fractions by pandas
        whole = f"CASE WHEN {sql} = floor({sql}) THEN {sql}::HUGEINT::VARCHAR END"
        return f"coalesce({whole}, {sql}::VARCHAR)"
    if column.type == "BLOB":
        return sql  # checked for UTF-8 like any file's bytes
    if column.type.startswith(_OTHERS) and not column.type.endswith("]"):
        return f"{sql}::VARCHAR"
    raise InputError(f"The column {name!r} of {source.name} is neither text, number nor time.")


def _read(source: SourceFile, taken: dict[str, str], advance: Advance) -> Iterator[Batch]:
    """Rows count from 1; there are no lines."""
    import duckdb

    first = 1
    asked = ", ".join(f"{text} AS {role}" for role, text in taken.items())
    try:
        with source.here() as path, connection() as db:
            answer = db.sql(
                f"SELECT {asked} FROM read_parquet(?, hive_partitioning = false)",
                params=[for_duckdb(path)],
            )
            for table in answer.to_arrow_reader(_ROWS):
                n = table.num_rows
                columns = tuple(
                    from_arrow(table.column(role)) if role in taken else no_texts(n) for role in ROLES
                )
                yield Batch(
                    columns, np.arange(first, first + n), np.zeros(n, np.uint8), partial(_raw, columns)
                )
                first += n
    except duckdb.Error:
        raise InputError(f"{source.name} cannot be read from row {first} on: it is damaged.") from None
    advance(source.size)


def _raw(columns: tuple[Texts, ...], i: int) -> bytes:
    return b"\t".join(column[i] for column in columns)
