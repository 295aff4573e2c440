"""What every reader hands to the import: columns of texts as slices of a byte buffer, so that one encoder
serves all formats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from crowdlog.types import Bytes, Ints

ROLES = ("user", "query", "time", "rank", "url")
USER, QUERY, TIME, RANK, URL = range(5)


@dataclass(frozen=True, repr=False)
class Texts:
    """Text i is `data[start[i] : start[i] + size[i]]`; a size of 0 means there is none."""

    data: Bytes
    start: Ints
    size: Ints

    def take(self, rows: Ints) -> Texts:
        return Texts(self.data, self.start[rows], self.size[rows])

    def __getitem__(self, i: int) -> bytes:
        return self.data[self.start[i] : self.start[i] + self.size[i]].tobytes()


@dataclass(frozen=True, repr=False)
class Batch:
    """Some rows of one file.

    `columns` stand in the order of ROLES; `reason` is not 0 where the reader could not split the row.
    """

    columns: tuple[Texts, ...]
    line: Ints
    reason: Bytes
    raw: Callable[[int], bytes]

    def __len__(self) -> int:
        return len(self.line)

    def from_row(self, first: int) -> Batch:
        """Without the rows before this one."""
        return Batch(
            tuple(Texts(c.data, c.start[first:], c.size[first:]) for c in self.columns),
            self.line[first:],
            self.reason[first:],
            lambda i: self.raw(i + first),
        )


def pack_texts(values: Sequence[bytes]) -> Texts:
    """Pack byte strings into one buffer."""
    size = np.fromiter(map(len, values), np.int64, len(values))
    start = np.zeros(len(values), np.int64)
    np.cumsum(size[:-1], out=start[1:])
    return Texts(np.frombuffer(bytearray(b"".join(values)), np.uint8), start, size)


def batch_of_rows(
    rows: Sequence[Sequence[bytes]], lines: Sequence[int], reasons: Sequence[int], raws: Sequence[bytes]
) -> Batch:
    """Make a batch of rows that were read one by one; each row has the five texts of ROLES."""
    columns = tuple(pack_texts([row[role] for row in rows]) for role in range(len(ROLES)))
    return Batch(columns, np.array(lines, np.int64), np.array(reasons, np.uint8), raws.__getitem__)
