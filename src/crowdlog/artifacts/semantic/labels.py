"""Which queries of a log are sensitive, from a file of labels (query, topic, sensitive)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crowdlog.artifacts.query_file import read_query_file
from crowdlog.artifacts.semantic.vectors import Longs
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.types import Bools


@dataclass(frozen=True, repr=False)
class Labels:
    """Labelled queries of a log and whether each is harmless."""

    query: Longs
    harmless: Bools


def read_labels(path: Path, log: LogStore) -> Labels:
    """Read tab-separated labels; those of queries the log does not have are left out."""
    table = read_query_file(path, "file of labels", {"query": "a query", "sensitive": "0 or 1"})
    try:
        sensitive = table["sensitive"].cast(pa.int64())
    except pa.ArrowInvalid:  # the message of the error could quote a query
        raise InputError(
            f"The file of labels {path} cannot be read: it needs tab-separated columns named query and "
            "sensitive (0 or 1)."
        ) from None
    found: Any = pc.index_in(
        table["query"], pq.read_table(log.queries(), columns=["text"])["text"].combine_chunks()
    )
    known = np.asarray(found.is_valid())
    return Labels(np.asarray(found.drop_null(), np.int64), np.asarray(sensitive)[known] == 0)
