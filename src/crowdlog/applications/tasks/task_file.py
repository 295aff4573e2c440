"""Task files: AnonID, QueryTime, Query, Task and perhaps Unit, with a header and tabs between.

Truth, a person's own labels and what was found all have this layout. A task's name means something within
(AnonID, Unit) only; without Unit the unit is the whole history. An empty Task is a search without a label.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.files.whole import new_file
from crowdlog.log.normalise import compute, normalise_texts
from crowdlog.types import Ints

COLUMNS = ("AnonID", "QueryTime", "Query", "Task")
UNIT = "Unit"
_BATCH = 1 << 20


@dataclass(frozen=True, repr=False)
class TaskFile:
    """One entry per line: texts of user, query (normalised), task and unit; seconds since 1970."""

    path: str
    user: Any
    time: Ints
    query: Any
    task: Any
    unit: Any

    def __len__(self) -> int:
        return len(self.user)

    def __repr__(self) -> str:
        return f"TaskFile({len(self)} searches)"


def read_task_file(path: str | Path) -> TaskFile:
    """Read a task file; `-` is standard input."""
    lines = _lines(str(path))
    cells = compute.split_pattern(lines, "\t")
    header = cells[0].as_py() if len(cells) else []
    if not set(COLUMNS) <= set(header):
        raise InputError(
            f"The task file {path} cannot be used: its first line must name {', '.join(COLUMNS)} "
            "with tabs between."
        )
    body = cells.slice(1)
    width = np.asarray(compute.list_value_length(body))
    if (width != len(header)).any():
        line = int(np.argmax(width != len(header))) + 2
        raise InputError(
            f"The task file {path} cannot be used: line {line} has {width[line - 2]} columns instead of "
            f"{len(header)}."
        )

    def column(name: str) -> Any:
        return compute.list_element(body, header.index(name)).cast(pa.string())

    unit = column(UNIT) if UNIT in header else pa.array([""] * len(body), pa.string())
    query = normalise_texts(column("Query"))
    time = _times(column("QueryTime"), str(path))
    return TaskFile(str(path), column("AnonID"), time, query, column("Task"), unit)


def _lines(path: str) -> Any:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"The task file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The task file {path} cannot be read: it is not UTF-8 text.") from None
    lines = compute.split_pattern(pa.scalar(text.replace("\r\n", "\n"), pa.large_string()), "\n").values
    return lines.filter(compute.not_equal(lines, ""))


def _times(texts: Any, path: str) -> Ints:
    """Seconds since 1970, of YYYY-MM-DD HH:MM:SS or of a number of seconds."""
    try:
        parsed = compute.strptime(texts, format="%Y-%m-%d %H:%M:%S", unit="s", error_is_null=True)
        seconds = parsed.cast(pa.int64())
        missing = np.asarray(compute.is_null(seconds))
        if missing.any():
            numbers = compute.cast(texts.filter(pa.array(missing)), pa.int64())
            filled = np.asarray(compute.fill_null(seconds, 0)).copy()
            filled[missing] = np.asarray(numbers)
            return filled
        return np.asarray(seconds)
    except pa.ArrowInvalid:
        raise InputError(
            f"The task file {path} cannot be used: a QueryTime is neither YYYY-MM-DD HH:MM:SS nor seconds."
        ) from None


def write_task_file(path: str | Path, columns: Sequence[Any], unit: Any | None) -> None:
    """Write user, time (seconds), query, task and unit: texts as Arrow arrays, numbers as numpy arrays.

    The file appears whole or not at all; `-` is standard output.
    """
    if str(path) == "-":
        _write(sys.stdout.buffer, columns, unit)
        sys.stdout.buffer.flush()
        return
    with new_file(Path(path)) as file:
        _write(file, columns, unit)


def _write(file: Any, columns: Sequence[Any], unit: Any | None) -> None:
    user, time, query, task = columns
    file.write("\t".join([*COLUMNS, *([UNIT] if unit is not None else [])]).encode() + b"\n")
    for low in range(0, len(time), _BATCH):
        part = slice(low, low + _BATCH)
        stamps = compute.strftime(pa.array(time[part], pa.timestamp("s")), format="%Y-%m-%d %H:%M:%S")
        texts = [user.slice(low, _BATCH), stamps, query.slice(low, _BATCH)]
        numbers = [task[part]] + ([unit[part]] if unit is not None else [])
        texts += [pa.array(column).cast(pa.string()) for column in numbers]
        tab = pa.scalar("\t", pa.large_string())
        lines = compute.binary_join_element_wise(*[t.cast(pa.large_string()) for t in texts], tab)
        file.write("\n".join(lines.to_pylist()).encode() + b"\n")
