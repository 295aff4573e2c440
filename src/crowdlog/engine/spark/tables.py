"""A table at an address as a data frame of Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from crowdlog.files.address import Address
from crowdlog.log.parts import opened_part, part_files

_BATCH = 1 << 17


def frame_of_parts(session: Any, table: Address) -> Any:
    """Each file of it is read by a task, when it is asked for."""
    from pyspark.sql.pandas.types import from_arrow_schema

    parts = part_files(table)
    with opened_part(parts[0]) as file:
        schema = from_arrow_schema(file.schema_arrow)

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_numpy():
                with opened_part(parts[number]) as file:
                    yield from file.iter_batches(_BATCH)

    return session.range(0, len(parts), 1, len(parts)).mapInArrow(rows, schema)
