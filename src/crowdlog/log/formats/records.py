"""Records with fields inside fields: lines of JSON, JSON arrays, dumps of a search engine, nested Parquet.

DuckDB takes them apart; a field is named by its path, `a.b` or `a[0].b`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from crowdlog.errors import InputError
from crowdlog.files.patterns import for_duckdb
from crowdlog.json_safe import each_once
from crowdlog.log.formats.lines import lines_of
from crowdlog.log.sources import BLOCK, SourceFile
from crowdlog.progress import Advance

_ROWS = 1 << 15  # records taken apart at once
_SPACE = b"\xef\xbb\xbf \t\r\n"
_STEP = re.compile(r'\."([^"]+)"((?:\[\d+\])*)')


@dataclass(frozen=True, repr=False)
class JsonRecords:
    """Some records as they stand in the file, and the numbers of their lines."""

    line: list[int]
    raw: list[bytes]

    def __len__(self) -> int:
        return len(self.line)


def connection() -> Any:
    """A DuckDB of its own, which writes nothing to disk."""
    import duckdb

    db = duckdb.connect(config={"temp_directory": ""})
    db.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
    return db


def records(source: SourceFile, advance: Advance | None = None) -> Iterator[JsonRecords]:
    """All records of a file; each object that a search engine wrapped is unwrapped."""
    head = source.head().lstrip(_SPACE)
    if head.startswith(b"PAR1"):
        found = _from_duckdb(source, "SELECT to_json(t)::VARCHAR FROM read_parquet(?) t", advance)
    elif _are_lines(head):
        found = _from_lines(source, advance)
    else:
        found = _from_duckdb(source, _whole_file(source, array=head.startswith(b"[")), advance)
    for part in found:
        yield from _unwrapped(part)


def _are_lines(head: bytes) -> bool:
    """Whether the first line is a whole object; one that is longer than what was looked at counts as one."""
    return head.startswith(b"{") and (b"\n" not in head or as_object(head.split(b"\n")[0]) is not None)


def bare_lines(source: SourceFile) -> JsonRecords | None:
    """The first lines of a file each of whose lines is a record, around which nothing is wrapped."""
    if not _are_lines(source.head().lstrip(_SPACE)):
        return None
    first = next(_from_lines(source, None))
    return first if next(_unwrapped(first), None) is first else None


def as_object(text: bytes | str, *, once: bool = False) -> dict[str, Any] | None:
    """The object, if it is one; if `once`, only where no name stands twice in an object."""
    try:
        value = json.loads(text, object_pairs_hook=each_once if once else None)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _whole_file(source: SourceFile, *, array: bool) -> str:
    size = max(BLOCK * 2, min(source.size * 20, (1 << 32) - 1))
    kind = "array" if array else "unstructured"
    return f"SELECT json::VARCHAR FROM read_json_objects(?, format = '{kind}', maximum_object_size = {size})"


def _from_lines(source: SourceFile, advance: Advance | None) -> Iterator[JsonRecords]:
    numbered = ((number, line) for number, line in enumerate(lines_of(source, advance), 1) if line.strip())
    while chunk := list(islice(numbered, _ROWS)):
        yield JsonRecords([number for number, _line in chunk], [line for _number, line in chunk])


def _from_duckdb(source: SourceFile, statement: str, advance: Advance | None) -> Iterator[JsonRecords]:
    """JsonRecords count from 1; there are no lines."""
    import duckdb

    first = 1
    with connection() as db, source.plain_file() as path:
        try:
            answer = db.execute(statement, [for_duckdb(path)])
            while rows := answer.fetchmany(_ROWS):
                yield JsonRecords(
                    list(range(first, first + len(rows))), [(row[0] or "null").encode() for row in rows]
                )
                first += len(rows)
        except duckdb.Error:
            raise InputError(
                f"{source.name} is no whole JSON or Parquet file: it is damaged or cut short after record "
                f"{first - 1}. Get it again, or write one object per line (JSON Lines)."
            ) from None
    if advance is not None:
        advance(source.size)


def _unwrapped(part: JsonRecords) -> Iterator[JsonRecords]:
    """What Elasticsearch answers to a search (`hits.hits`), and the documents it wraps (`_source`)."""
    first = as_object(part.raw[0]) or {}
    hits = first.get("hits")
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        inside = [hit for found in _taken(part.raw, "$.hits.hits[*]") for hit in found]
        yield from _unwrapped(JsonRecords(list(range(1, len(inside) + 1)), inside)) if inside else ()
    elif isinstance(first.get("_source"), dict):
        found = zip(part.raw, _taken(part.raw, "$._source"), strict=True)
        yield JsonRecords(part.line, [inner[0] if inner else raw for raw, inner in found])
    else:
        yield part


def _taken(raws: list[bytes], path: str) -> list[list[bytes]]:
    """What stands at the path in each record, letter by letter: what is said twice there still is."""
    import pyarrow as pa

    texts = [raw.decode("utf-8", "replace") for raw in raws]
    with connection() as db:
        db.register("part", pa.table({"raw": pa.array(texts, pa.large_string()), "n": range(len(texts))}))
        found = f"json_extract(CASE WHEN json_valid(raw) THEN raw::JSON END, '{path}')"
        as_list = f"{found}::VARCHAR[]" if path.endswith("[*]") else f"[{found}::VARCHAR]"
        rows = db.execute(f"SELECT {as_list} FROM part ORDER BY n").fetchall()
    return [[text.encode() for text in row[0] or [] if text is not None] for row in rows]


def objects(part: JsonRecords) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and content of each record that is an object and says nothing twice, for formats that need more
    than paths.
    """
    for line, raw in zip(part.line, part.raw, strict=True):
        value = as_object(raw, once=True)
        if value is not None:
            yield line, value


def paths_of(name: str) -> list[str]:
    """JSON paths of a field: the very name, and the path it spells."""
    if not name or any(mark in name for mark in "\"'\\"):
        raise InputError(f"{name!r} cannot be the name of a field; paths are written a.b or a[0].b.")
    steps = [re.fullmatch(r"([^\[\]]+)((?:\[\d+\])*)", step) for step in name.split(".")]
    spelled = "".join(f'."{step[1]}"{step[2]}' for step in steps if step)
    return list(dict.fromkeys([f'$."{name}"', *([f"${spelled}"] if all(steps) else [])]))


def text_of(name: str) -> str:
    """SQL: the field of the column `json` as text."""
    taken = [f"json ->> '{path}'" for path in paths_of(name)]
    return f"coalesce({', '.join(taken)}, NULL)"


def twice(names: Iterable[str]) -> str:
    """SQL: whether one of these fields, or an object around it, stands twice in its record: which of the two
    holds nobody knows, and of two readers each may take another.
    """
    steps: dict[tuple[str, str], None] = {}
    for path in (path for name in names for path in paths_of(name)):
        above = "$"
        for key, places in _STEP.findall(path):
            steps[above, key] = None
            above += f'."{key}"{places}'
    found = (
        f"len(list_filter(json_keys(json, '{above}'), lambda k: k = '{key}')) > 1" for above, key in steps
    )
    return f"coalesce({' OR '.join(f'coalesce({each}, false)' for each in found)}, false)"


def type_of(name: str) -> str:
    """SQL: the JSON type of the field; null if the record has none, 'NULL' if it is empty."""
    types = [f"json_type(json, '{path}')" for path in paths_of(name)]
    return f"coalesce({', '.join(types)}, NULL)"
