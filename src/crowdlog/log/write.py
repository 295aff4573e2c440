"""Write the store's Parquet files and the hash of what they hold."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.log.encode import Dictionary
from crowdlog.log.spill import COLUMNS, Events

_INT, _LONG = pa.int32(), pa.int64()
_FIELDS: list[pa.Field[Any]] = [
    pa.field("row", _LONG, nullable=False),
    pa.field("user", _INT, nullable=False),
    pa.field("time", _LONG, nullable=False),
    pa.field("query", _INT, nullable=False),
    pa.field("impression", pa.bool_(), nullable=False),
    pa.field("rank", _INT),
    pa.field("url", _INT),
    pa.field("nth_impression", _INT, nullable=False),
    pa.field("nth_click", _INT),
    pa.field("gap", _LONG),
]
EVENTS = pa.schema(_FIELDS)
_TEXT_FIELDS: list[pa.Field[Any]] = [
    pa.field("id", _INT, nullable=False),
    pa.field("text", pa.string(), nullable=False),
]
TEXTS = pa.schema(_TEXT_FIELDS)
_IDS = ("id", "user", "query", "url")


def _long(schema: pa.Schema) -> pa.Schema:
    """With ids of 64 bits."""
    return pa.schema([each.with_type(_LONG) if each.name in _IDS else each for each in schema])


LONG_EVENTS, LONG_TEXTS = _long(EVENTS), _long(TEXTS)
_GROUP = 1 << 18  # texts per row group: even the longest allowed stay below the 2 GB of Arrow's strings


class ContentHash:
    """A hash of the log itself: one digest per column, so that it does not depend on how the rows were cut
    into parts.
    """

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}

    def add(self, name: str, values: np.ndarray[Any, Any]) -> None:
        self._parts.setdefault(name, hashlib.sha256()).update(values.data.cast("B"))

    def hexdigest(self) -> str:
        return hashlib.sha256(
            "".join(f"{name}={part.hexdigest()};" for name, part in sorted(self._parts.items())).encode()
        ).hexdigest()


class HashedFile(io.BufferedWriter):
    """A new file, hashed as it is written: nobody has to wait until it is read again. Being Python's, its
    errors (a full disk) keep their number.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path, "wb"))
        self._hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        self._hash.update(data)
        return super().write(data)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def events_to(file: BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    # Differences of neighbours, packed, without compression: small and the fastest to write and to read
    # (docs/decisions/log-store.md).
    encoding = {field.name: "DELTA_BINARY_PACKED" for field in _FIELDS if field.name != "impression"}
    return pq.ParquetWriter(file, schema, compression="none", use_dictionary=False, column_encoding=encoding)


def as_rows(events: Events, first_row: int, schema: pa.Schema = EVENTS) -> pa.RecordBatch:
    """Events as the file keeps them. -1 becomes null where a column may be null."""
    arrays = [
        np.arange(first_row, first_row + len(events["user"]), dtype=np.int64),
        *(events[field.name] for field in _FIELDS[1:]),
    ]
    columns = [
        pa.array(values, field.type, mask=values < 0 if field.nullable else None)
        for field, values in zip(schema, arrays, strict=True)
    ]
    return pa.record_batch(columns, schema=schema)


def hash_events(events: Events, content: ContentHash) -> None:
    for column in COLUMNS:
        content.add(column, events[column])


def texts_to(file: BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(file, schema, compression="zstd", compression_level=1, use_dictionary=False)


def write_texts(path: Path, texts: Dictionary, content: ContentHash) -> str:
    """A dictionary in the order of its ids. Returns the hash of the file."""
    with HashedFile(path) as file, texts_to(file, TEXTS) as writer:
        for low in range(0, len(texts), _GROUP):
            high = min(low + _GROUP, len(texts))
            data, offsets = texts.slice(low, high)
            content.add(f"{path.stem} bytes", data)
            content.add(f"{path.stem} sizes", np.diff(offsets))
            strings = pa.StringArray.from_buffers(
                high - low, pa.py_buffer(offsets.astype(np.int32).data), pa.py_buffer(data.data)
            )
            ids = pa.array(np.arange(low, high, dtype=np.int32))
            writer.write_batch(pa.record_batch([ids, strings], schema=TEXTS), row_group_size=high - low)
    return file.hexdigest()
