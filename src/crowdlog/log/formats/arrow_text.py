"""Columns of Arrow as the import's texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.log.columns import ROLES, Batch, Texts


def from_arrow(column: Any) -> Texts:
    """Arrow's own buffers of a text column; copied, because kernels trim in place. Null is no text."""
    column = column.cast(pa.large_binary() if pa.types.is_binary(column.type) else pa.large_string())
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


def no_texts(n: int) -> Texts:
    """A column of nothing."""
    return Texts(np.zeros(1, np.uint8), np.zeros(n, np.int64), np.zeros(n, np.int64))


def same_text(text: bytes, n: int) -> Texts:
    """A column that says the same in every row: the partition a file lies in, or no time at all."""
    data = np.frombuffer(bytearray(text or b"\0"), np.uint8)
    return Texts(data, np.zeros(n, np.int64), np.full(n, len(text), np.int64))


def batch_of_table(table: pa.RecordBatch, wanted: Mapping[str, str], first: int) -> Batch:
    """The rows of a table, of which the first has this number; `wanted`: the column of each role."""
    n = table.num_rows
    columns = tuple(
        from_arrow(_as_text(table.column(wanted[role]))) if role in wanted else no_texts(n) for role in ROLES
    )
    return Batch(columns, np.arange(first, first + n), np.zeros(n, np.uint8), partial(_raw, columns))


def _raw(columns: tuple[Texts, ...], i: int) -> bytes:
    return b"\t".join(column[i] for column in columns)


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
