"""What can be said about the files to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES

# Name on the command line: module. Each module has `read(source, options) -> Callable[[Advance],
# Iterator[Batch]]`, which looks at the head first.
FORMATS = {
    "aol": "aol",
    "csv": "delimited",
    "tsv": "delimited",
    "jsonl": "jsonlines",
    "parquet": "parquet",
    "excite": "excite",
    "sogou": "sogou",
    "trec-session": "trec_session",
    "chromium": "chromium",
    "firefox": "firefox",
    "takeout": "takeout",
}


@dataclass(frozen=True)
class ReadOptions:
    """What the caller said about the files.

    `columns`: role → name of the column (or its number from 1 in files without a header). `quoted_lines`: a
    quoted text of a CSV file may have several lines.
    """

    format: str | None = None
    columns: Mapping[str, str] | None = None
    date: str | None = None
    quoted_lines: bool = False

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"There is no format '{self.format}'. Choose one of {', '.join(FORMATS)}.")
        if self.columns is not None and (
            set(self.columns) - set(ROLES) or not {"user", "query", "time"} <= set(self.columns)
        ):
            raise InputError(
                "--columns needs user=…, query=… and time=…, and may have rank=… and url=…; no others."
            )
