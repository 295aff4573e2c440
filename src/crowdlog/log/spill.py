"""The events between reading and sorting: columns of plain numbers on disk, so that memory does not grow with
the log.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

COLUMNS: dict[str, type[Any]] = {
    "user": np.int32,
    "time": np.int64,
    "query": np.int32,
    "rank": np.int32,
    "url": np.int32,
}
Events = dict[str, NDArray[Any]]
_CHUNK = 1 << 21  # rows moved at once


class Spill:
    """One file per column, inside the folder being built. No text is ever written here."""

    def __init__(self, folder: Path, name: str = "read") -> None:
        self._paths = {column: folder / f"{name}.{column}.spill" for column in COLUMNS}
        self._files = {column: path.open("w+b", buffering=0) for column, path in self._paths.items()}
        self._folder = folder
        self.rows = 0

    def append(self, events: Events) -> None:
        self.write(events, self.rows)
        self.rows += len(events["user"])

    def write(self, events: Events, at: int) -> None:
        """Put the rows at this place."""
        for column, file in self._files.items():
            data = np.ascontiguousarray(events[column], COLUMNS[column]).data.cast("B")
            place = at * np.dtype(COLUMNS[column]).itemsize
            while len(data):
                done = os.pwrite(file.fileno(), data, place)
                data, place = data[done:], place + done

    def read(self, low: int, high: int) -> Events:
        events: Events = {}
        for column, kind in COLUMNS.items():
            events[column] = np.empty(high - low, kind)
            self._fill(
                self._files[column].fileno(), events[column].data.cast("B"), low * np.dtype(kind).itemsize
            )
        return events

    @staticmethod
    def _fill(file: int, buffer: memoryview, place: int) -> None:
        """By place, because several threads read at once."""
        while len(buffer):
            done = os.preadv(file, [buffer], place)
            buffer, place = buffer[done:], place + done

    def grouped(self, part_of_user: NDArray[np.int32], first_row: NDArray[np.int64]) -> Spill:
        """A copy in which the rows of each part stand together, in the order of reading; part p begins at
        first_row[p].
        """
        out = Spill(self._folder, "grouped")
        try:
            self._scatter(out, part_of_user, first_row.copy())
        except BaseException:
            out.close()
            raise
        self.remove()
        return out

    def _scatter(self, out: Spill, part_of_user: NDArray[np.int32], cursor: NDArray[np.int64]) -> None:
        for low in range(0, self.rows, _CHUNK):
            events = self.read(low, min(low + _CHUNK, self.rows))
            part = part_of_user[events["user"]]
            order = np.argsort(part, kind="stable")
            counts = np.bincount(part, minlength=len(cursor))
            ends = np.cumsum(counts)
            for p in np.flatnonzero(counts):
                rows = order[ends[p] - counts[p] : ends[p]]
                out.write({column: values[rows] for column, values in events.items()}, int(cursor[p]))
            cursor += counts
        out.rows = self.rows

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def remove(self) -> None:
        self.close()
        for path in self._paths.values():
            path.unlink()
