"""Columns of Arrow as the import's texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.log.columns import Texts


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
