"""Files that an owner writes by hand: lines of a query, or of a query, a tab and something about it.

Every such file is read here, so that its queries and URLs are spelled as the log spells them.
Errors give the number of a line, never its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.representations import REPRESENTATIONS, represent
from crowdlog.errors import InputError
from crowdlog.log.normalise import compute, normalise_texts, trim_texts

ORIGINAL = REPRESENTATIONS[0]


def read_query_file(
    path: str | Path,
    what: str,
    columns: Mapping[str, str],
    *,
    representation: str = ORIGINAL,
    more: bool = False,
) -> dict[str, Any]:
    """The columns as Arrow arrays of strings, one entry for each line that is not blank.

    `columns`: the name of each column and what it holds, for messages: {"query": "a query", "url": "a URL"}.
    The column `query` is normalised as the import normalises queries, and then represented; every other
    column is trimmed as the import trims URLs. An empty cell is an error. When the first line names all
    columns, they may stand in any order, among others. `more`: lines may have further columns, ignored here.
    """
    expected = ", a tab and ".join(columns.values())
    lines = _lines(Path(path), what)
    # A file of one column may have tabs in its lines: they are blanks of the query.
    cells = compute.split_pattern(lines, "\t") if len(columns) > 1 else compute.split_pattern(lines, "\n")
    numbers = np.flatnonzero(np.asarray(compute.not_equal(compute.utf8_trim_whitespace(lines), "")))
    first = cells[numbers[0]].as_py() if len(numbers) and len(columns) > 1 else []
    named = set(columns) <= set(first)
    places = [first.index(name) for name in columns] if named else list(range(len(columns)))
    there = len(first) if named else len(columns)
    numbers = numbers[1:] if named else numbers
    if not len(numbers):
        raise InputError(f"The {what} {path} is empty. Give lines of {expected}.")
    width = np.asarray(compute.list_value_length(cells))[numbers]
    good = width > max(places) if more else width == there
    rows = cells.take(pa.array(numbers[good]))
    table = {}
    for name, place in zip(columns, places, strict=True):
        spelled = (normalise_texts if name == "query" else trim_texts)(compute.list_element(rows, place))
        table[name] = spelled.cast(pa.string())
    filled = [np.asarray(compute.not_equal(column, "")) for column in table.values()]
    good[good] = np.logical_and.reduce(filled)
    if not good.all():
        bad = numbers[np.argmin(good)] + 1
        raise InputError(f"The {what} {path} cannot be used: line {bad} is not {expected}.")
    if representation != ORIGINAL:
        distinct = table["query"].dictionary_encode()  # a file may have many lines for one query
        represented = pa.array(represent(distinct.dictionary.to_pylist(), representation), pa.string())
        table["query"] = represented.take(distinct.indices)
    return table


def _lines(path: Path, what: str) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The {what} {path} cannot be read: it is not UTF-8 text.") from None
    return compute.split_pattern(pa.scalar(text, pa.large_string()), "\n").values
