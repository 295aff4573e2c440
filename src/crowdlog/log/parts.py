"""A table of a store: one Parquet file, or a folder of them whose names are in the order of the rows, on this
machine or at an address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, overload

import pyarrow.parquet as pq

from crowdlog.files.address import Address

Place = Path | Address
BATCH = 1 << 18  # rows at once unless it is said


@overload
def part_files(table: Path) -> list[Path]: ...
@overload
def part_files(table: Place) -> list[Place]: ...
def part_files(table: Place) -> Any:
    """The files of a table, in the order of its rows; as every machine names them that sees them."""
    if isinstance(table, Address):
        return [part for part in table.files() if part.name.endswith(".parquet")]
    return sorted(table.absolute().glob("*.parquet")) if table.is_dir() else [table.absolute()]


@contextmanager
def opened_part(part: Place) -> Iterator[pq.ParquetFile]:
    if isinstance(part, Path):
        with pq.ParquetFile(part) as file:
            yield file
        return
    with part.open() as there, pq.ParquetFile(there) as file:
        yield file


def batches(table: Place, columns: Sequence[str], size: int = BATCH) -> Iterator[Any]:
    """The rows of a table, some at a time."""
    for part in part_files(table):
        with opened_part(part) as file:
            yield from file.iter_batches(size, columns=list(columns))
