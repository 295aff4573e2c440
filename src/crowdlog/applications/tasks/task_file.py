"""Task files: AnonID, QueryTime, Query, Task and perhaps Unit, with a header and tabs between.

Truth, a person's own labels and what was found all have this layout. A task's name means something within
(AnonID, Unit) only; without Unit the unit is the whole history. An empty Task is a search without a label.
Names, times and queries are read as an import reads those of a log; a line without a query is no search and
left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.applications.input_text import input_text
from crowdlog.errors import InputError
from crowdlog.files.private import owners_file
from crowdlog.log.formats.arrow_text import from_arrow
from crowdlog.log.normalise import compute, normalise_texts, trim_texts
from crowdlog.log.parse import read_times
from crowdlog.types import Ints

COLUMNS = ("AnonID", "QueryTime", "Query", "Task")
UNIT = "Unit"
_BATCH = 1 << 18


@dataclass(frozen=True, repr=False)
class TaskFile:
    """One entry per line: its number in the file, texts of user, query (normalised), task and unit; seconds
    since 1970.
    """

    path: str
    line: Ints
    user: Any
    time: Ints
    query: Any
    task: Any
    unit: Any

    def __len__(self) -> int:
        return len(self.user)

    @property
    def has_units(self) -> bool:
        """Whether labels are given by unit, such as a session, instead of for whole histories."""
        return bool(compute.any(compute.not_equal(self.unit, "")).as_py())

    def __repr__(self) -> str:
        return f"TaskFile({len(self)} searches)"


def read_task_file(path: str | Path) -> TaskFile:
    """Read a task file; `-` is standard input."""
    lines, numbers = _lines(str(path))
    cells = compute.split_pattern(lines, "\t")
    header = [name.strip() for name in cells[0].as_py()] if len(cells) else []
    if not set(COLUMNS) <= set(header):
        raise InputError(
            f"The task file {path} cannot be used: its first line must name {', '.join(COLUMNS)} "
            "with tabs between."
        )
    body = cells.slice(1)
    width = np.asarray(compute.list_value_length(body))
    if (width != len(header)).any():
        bad = int(np.argmax(width != len(header)))
        raise InputError(
            f"The task file {path} cannot be used: line {numbers[bad + 1]} has {width[bad]} columns "
            f"instead of {len(header)}."
        )

    query = normalise_texts(_column(body, header.index("Query")))
    searches = compute.not_equal(query, "")
    body, query, line = body.filter(searches), query.filter(searches), numbers[1:][np.asarray(searches)]

    def column(name: str) -> Any:
        return trim_texts(_column(body, header.index(name)))

    unit = column(UNIT) if UNIT in header else pa.array([""] * len(body), pa.string())
    time = _times(column("QueryTime"), str(path), line)
    return TaskFile(str(path), line, column("AnonID"), time, query, column("Task"), unit)


def _column(cells: Any, place: int) -> Any:
    return compute.list_element(cells, place).cast(pa.string())


def _lines(path: str) -> tuple[Any, Ints]:
    """The lines that are not empty, and their numbers in the file."""
    text = input_text(path, "task file")
    lines = compute.split_pattern(pa.scalar(text.replace("\r\n", "\n"), pa.large_string()), "\n").values
    there = np.asarray(compute.not_equal(lines, ""))
    return lines.filter(pa.array(there)), np.flatnonzero(there) + 1


def _times(texts: Any, path: str, line: Ints) -> Ints:
    """Seconds since 1970, of every time that an import reads."""
    cells = from_arrow(texts)
    seconds, reason = np.zeros(len(texts), np.int64), np.zeros(len(texts), np.uint8)
    read_times(cells.data, cells.start, cells.size, seconds, reason)
    if reason.any():
        bad = line[int(np.argmax(reason > 0))]
        raise InputError(
            f"The task file {path} cannot be used: the QueryTime of line {bad} is no time, such as "
            "2006-03-01 10:00:00."
        )
    return seconds


@dataclass(frozen=True, repr=False)
class NumberedTexts:
    """A column of texts as the number of each in a list: a large log's column never exists as a whole."""

    texts: Any  # an Arrow array
    number: Ints

    def part(self, part: slice) -> Any:
        return self.texts.take(pa.array(self.number[part]))


@dataclass(frozen=True, repr=False)
class TaskRows:
    """Rows of a task file to write; times are seconds since 1970."""

    user: NumberedTexts
    time: Ints
    query: NumberedTexts
    task: Ints
    unit: Ints | None


def write_task_file(path: str | Path, parts: Iterable[TaskRows], *, units: bool) -> None:
    """Write a task file of rows that come some at a time, with a column Unit or without.

    The file appears whole or not at all, for its owner alone; `-` is standard output.
    """
    header = "\t".join([*COLUMNS, *([UNIT] if units else [])]).encode() + b"\n"
    lines: Iterable[bytes | memoryview] = chain([header], chain.from_iterable(map(_lines_to_write, parts)))
    if str(path) == "-":
        sys.stdout.buffer.writelines(lines)
        sys.stdout.buffer.flush()
        return
    with owners_file(Path(path)) as file:
        file.writelines(lines)


def _lines_to_write(rows: TaskRows) -> Iterator[bytes | memoryview]:
    tab, end, nothing = (pa.scalar(text, pa.large_string()) for text in ("\t", "\n", ""))
    for low in range(0, len(rows.time), _BATCH):
        part = slice(low, low + _BATCH)
        stamps = compute.strftime(pa.array(rows.time[part], pa.timestamp("s")), format="%Y-%m-%d %H:%M:%S")
        numbers = [rows.task[part]] + ([rows.unit[part]] if rows.unit is not None else [])
        texts = [rows.user.part(part), stamps, rows.query.part(part), *map(pa.array, numbers)]
        columns = [one.cast(pa.large_string()) for one in texts]
        lines = compute.binary_join_element_wise(*columns, tab)
        ended = compute.binary_join_element_wise(lines, nothing, end)
        _valid, at, data = ended.buffers()
        yield memoryview(data)[: np.frombuffer(at, np.int64)[len(ended)]]
