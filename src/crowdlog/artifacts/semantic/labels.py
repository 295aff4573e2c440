"""Which queries of a log are sensitive, from a file of labels (query, topic, sensitive)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.vectors import Longs
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore


@dataclass(frozen=True, repr=False)
class Labels:
    """Labelled queries of a log and whether each is harmless."""

    query: Longs
    harmless: NDArray[np.bool_]


def read_labels(path: Path, log: LogStore) -> Labels:
    """Read tab-separated labels; those of queries the log does not have are left out."""
    try:
        table = pa.csv.read_csv(path, parse_options=pa.csv.ParseOptions(delimiter="\t", quote_char=False))
        text, sensitive = table["query"].cast(pa.string()), table["sensitive"].cast(pa.int64())
    except (OSError, KeyError, pa.ArrowInvalid):  # the message of the error could quote a query
        raise InputError(f"The labels {path} cannot be read: they need tab-separated columns named query and sensitive (0 or 1).") from None
    found: Any = pc.index_in(text, pq.read_table(log.queries(), columns=["text"])["text"].combine_chunks())
    known = np.asarray(found.is_valid())
    return Labels(np.asarray(found.drop_null(), np.int64), np.asarray(sensitive)[known] == 0)
