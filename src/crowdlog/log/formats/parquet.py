"""Parquet: any table with the columns of a log; numbers and time stamps are taken as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, Batch, Texts
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

_ROWS = 1 << 16  # rows of a batch


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    names = _columns(source)
    wanted = options.columns or {role: role for role in ROLES if role in names}
    for role in ("user", "query", "time", *wanted):
        if wanted.get(role) not in names:
            raise InputError(
                f"{source.name} has no column {wanted.get(role, role)!r}. "
                "Name the columns with --columns user=…,query=…,time=…"
            )
    return partial(_read, source, dict(wanted))


def _columns(source: SourceFile) -> list[str]:
    try:
        with pq.ParquetFile(source.path) as file:
            return list(file.schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{source.name} is no readable Parquet file. Get it again, or say the right --format."
        ) from error


def _read(source: SourceFile, wanted: dict[str, str], advance: Advance) -> Iterator[Batch]:
    """Rows count from 1; there are no lines."""
    first = 1
    try:
        with pq.ParquetFile(source.path) as file:
            share = source.path.stat().st_size / max(file.metadata.num_rows, 1)
            for table in file.iter_batches(batch_size=_ROWS, columns=sorted(set(wanted.values()))):
                n = table.num_rows
                columns = tuple(
                    _texts(table.column(wanted[role])) if role in wanted else _nothing(n) for role in ROLES
                )
                yield Batch(
                    columns, np.arange(first, first + n), np.zeros(n, np.uint8), partial(_raw, columns)
                )
                first += n
                advance(int(n * share))
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{source.name} cannot be read from row {first} on: it is damaged, or a column is neither text, "
            "number nor time."
        ) from error


def _raw(columns: tuple[Texts, ...], i: int) -> bytes:
    return b"\t".join(column[i] for column in columns)


def _nothing(n: int) -> Texts:
    return Texts(np.zeros(1, np.uint8), np.zeros(n, np.int64), np.zeros(n, np.int64))


def _texts(column: Any) -> Texts:
    """Arrow's own buffers; copied, because kernels trim in place."""
    column = _as_text(column)
    n = len(column)
    _valid, offsets, data = column.buffers()
    bounds = (
        np.frombuffer(offsets, np.int64)[column.offset : column.offset + n + 1]
        if n
        else np.zeros(1, np.int64)
    )
    size = np.where(column.is_valid().to_numpy(zero_copy_only=False), np.diff(bounds), 0)
    buffer = np.frombuffer(data, np.uint8).copy() if data is not None and data.size else np.zeros(1, np.uint8)
    return Texts(buffer, bounds[:-1].copy(), size)


def _as_text(column: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _as_text(column.dictionary_decode())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return column.cast(pa.large_binary())  # checked for UTF-8 like any file's bytes
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
    elif pa.types.is_floating(kind):  # how pandas keeps whole numbers with gaps
        whole = pc.equal(pc.floor(column), column)
        return pc.if_else(
            whole, column.cast(pa.int64(), safe=False).cast(pa.large_string()), column.cast(pa.large_string())
        )
    return column.cast(pa.large_string())
