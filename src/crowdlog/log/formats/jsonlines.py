"""JSON Lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, TIME, Batch
from crowdlog.log.formats.lines import Row, read_lines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.rejects import GOOD, RECORD
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    """The first object must have the columns; later ones without them are rejected."""
    names = options.columns or {role: role for role in ROLES}
    first = source.head().removeprefix(b"\xef\xbb\xbf").strip().split(b"\n")[0]
    row = _object(first)
    for role in ("user", "query", "time"):
        if row is None or names[role] not in row:
            raise InputError(
                f"The first line of {source.name} is no JSON object with the field {names[role]!r}. "
                "Name the fields with --columns user=…"
            )
    return partial(read_lines, source, partial(_row, names=names))


def _object(line: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _row(line: bytes, names: Mapping[str, str]) -> tuple[Row, int]:
    value = _object(line)
    if value is None:
        return ((b"",) * len(ROLES)), RECORD
    fields = [value.get(names[role]) if role in names else None for role in ROLES]
    if any(isinstance(field, bool | list | dict) for field in fields):
        return ((b"",) * len(ROLES)), RECORD
    if isinstance(seconds := fields[TIME], float) and abs(seconds) < 2**53:
        fields[TIME] = int(seconds)
    # A lone surrogate passes here and is rejected as undecodable like any other bad byte.
    return tuple(
        b"" if field is None else str(field).encode("utf-8", "surrogatepass") for field in fields
    ), GOOD
