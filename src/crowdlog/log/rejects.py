"""Rows that cannot be read: counted by reason, kept word for word in a private file beside the store, never
shown.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import numpy as np

from crowdlog.errors import InputError
from crowdlog.files.spreadsheet import defused_escapes
from crowdlog.log.columns import Batch
from crowdlog.types import Bytes

# Codes of one byte, because kernels write them. GOOD rows are imported, SCRUBBED ones counted and dropped,
# the others rejected.
GOOD, COLUMNS, TIME, UNDECODABLE, TOO_LONG, RANK, NO_USER, NO_QUERY, RECORD, SCRUBBED, TWICE = range(11)
REASONS = {
    COLUMNS: "wrong number of columns",
    TIME: "unreadable time",
    UNDECODABLE: "undecodable text",
    TOO_LONG: "over-long text",
    RANK: "rank is not a number",
    NO_USER: "no user",
    NO_QUERY: "no query",
    RECORD: "unreadable record",
    TWICE: "a field stands twice",
}
# Longest user, query or url in bytes: our choice. Web servers commonly refuse addresses above 4 to 8
# thousand.
MAX_TEXT = 4096


class RejectsFile:
    """The rejects file (file, line, reason, row with backslash escapes, also of signs that a spreadsheet
    would run as a formula); its mode lets only the owner read it. Made with the first row.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> RejectsFile:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def keep(self, name: str, line: int, reason: str, raw: bytes) -> None:
        if self._file is None:
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(handle, "wb")
            self._file.write(b"file\tline\treason\trow\n")
        place = defused_escapes(name.encode("unicode_escape"))
        row = defused_escapes(raw.decode("latin-1").encode("unicode_escape"))
        self._file.write(place + f"\t{line}\t{reason}\t".encode() + row + b"\n")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class Rejects:
    """Counts bad rows and keeps them in the rejects file."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        self._file = RejectsFile(path)
        self._strict = strict
        self.counts: Counter[str] = Counter()
        self.scrubbed = 0

    def take(self, batch: Batch, reason: Bytes, name: str) -> None:
        """Note every row of the batch whose reason is not GOOD."""
        for i in np.flatnonzero(reason):
            code = int(reason[i])
            if code == SCRUBBED:
                self.scrubbed += 1
                continue
            if self._strict:
                raise InputError(
                    f"Line {batch.line[i]} of {name} cannot be read: {REASONS[code]}. "
                    "Correct it, or import without --strict to set such rows aside."
                )
            self.counts[REASONS[code]] += 1
            self._file.keep(name, int(batch.line[i]), REASONS[code], batch.raw(int(i)))

    def close(self) -> None:
        self._file.close()
