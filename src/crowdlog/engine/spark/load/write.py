"""The store's files, each written by the task that has its rows, and what is known of them.

A task may be done twice, even at once: a file takes its name when it is whole, and its bytes are the same
each time.
"""

from __future__ import annotations

import hashlib
import heapq
import io
import os
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit

from crowdlog.engine.spark.load.packed_texts import PackedTexts, text_sums
from crowdlog.files.address import Address
from crowdlog.files.whole import new_file
from crowdlog.log.parts import Place
from crowdlog.log.people import SIZE
from crowdlog.log.write import LONG_EVENTS, LONG_TEXTS, as_rows, events_to, texts_to
from crowdlog.types import Ints

GROUP = 1 << 17  # rows of a row group of texts: even the longest allowed stay below Arrow's 2 GB
_HASHED = ("user", "time", "query", "rank", "url")
_SEEDS = (np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344))


class Written(NamedTuple):
    """One file. `sums`: of the hashes of its rows; `figures`: of events; `people`: smallest hashes of user
    names.
    """

    table: str
    name: str
    size: int
    hash: str
    rows: int
    sums: tuple[int, ...]
    figures: dict[str, int]
    people: list[str]


class WrittenTexts(NamedTuple):
    """What one task wrote of texts. `rows`: of the users in groups of equal width, from group `first` on."""

    files: list[Written]
    first: int
    rows: Ints


def write_events(folder: Place, number: int, events: dict[str, Any], first_row: int) -> Written:
    def write(file: BinaryIO) -> None:
        with events_to(file, LONG_EVENTS) as writer:
            rows = as_rows(events, first_row, LONG_EVENTS)
            writer.write_batch(rows, row_group_size=rows.num_rows)

    figures = {
        "impressions": int(events["impression"].sum()),
        "clicks": int((events["url"] >= 0).sum()),
        "first_time": int(events["time"].min()),
        "last_time": int(events["time"].max()),
    }
    size, digest = _whole(folder / "events.parquet" / _name(number), write)
    rows, sums = len(events["user"]), row_sums(events)
    return Written("events.parquet", _name(number), size, digest, rows, sums, figures, [])


def write_texts(folder: Place, table: str, number: int, texts: PackedTexts, base: int) -> Written:
    n = len(texts.size)

    def write(file: BinaryIO) -> None:
        with texts_to(file, LONG_TEXTS) as writer:
            for low in range(0, n, GROUP):
                high = min(low + GROUP, n)
                ids = pa.array(np.arange(base + low, base + high))
                rows = pa.record_batch([ids, texts.as_arrow(low, high)], schema=LONG_TEXTS)
                writer.write_batch(rows, row_group_size=high - low)

    size, digest = _whole(folder / table / _name(number), write)
    people = _sketch(texts) if table == "users.parquet" else []
    return Written(table, _name(number), size, digest, n, text_sums(texts, base), {}, people)


def _name(number: int) -> str:
    """In the order of the rows."""
    return f"part-{number:08d}.parquet"


def _whole(path: Place, write: Callable[[BinaryIO], None]) -> tuple[int, str]:
    """Size and SHA-256 of the file."""
    if isinstance(path, Address):  # a file is the rows of one task: it fits the memory that they did
        made = io.BytesIO()
        write(made)
        data = made.getvalue()
        path.write(data)
        return len(data), hashlib.sha256(data).hexdigest()
    path.parent.mkdir(exist_ok=True)
    with new_file(path) as file:
        write(file)
    with path.open("rb") as file:
        return os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _sketch(texts: PackedTexts) -> list[str]:
    data, starts = texts.data.tobytes(), texts.starts.tolist()
    names = (data[low : low + size] for low, size in zip(starts, texts.size.tolist(), strict=True))
    return heapq.nsmallest(SIZE, (hashlib.sha256(name).hexdigest()[:16] for name in names))


@njit(cache=True, nogil=True)
def _mix(into: Any, values: Any) -> None:
    for i in range(len(into)):
        mixed = (into[i] ^ np.uint64(values[i])) * np.uint64(0xFF51AFD7ED558CCD)
        into[i] = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xC4CEB9FE1A85EC53)


def row_sums(events: dict[str, Ints]) -> tuple[int, ...]:
    """Sums of two hashes of each row, by which equal logs are recognised however they are cut."""
    sums = []
    for seed in _SEEDS:
        hashes = np.full(len(events["user"]), seed, np.uint64)
        for name in _HASHED:
            _mix(hashes, events[name].astype(np.int64))
        sums.append(int(hashes.sum(dtype=np.uint64)))
    return tuple(sums)
