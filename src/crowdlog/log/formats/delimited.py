"""Any table as text: CSV (comma, semicolon or bar; quotes as in RFC 4180) or TSV (tab, no quoting), with or
without a header.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import partial

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, Batch
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.scan import LineLayout, read_delimited
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    """Columns given by number mean that there is no header."""
    first = source.head().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip(
        "\r\n"
    ).splitlines()[:1] or [""]
    tabbed = options.format == "tsv" or (options.format != "csv" and "\t" in first[0])
    delimiter = "\t" if tabbed else max(",;|", key=first[0].count)
    names = next(
        csv.reader(first, delimiter=delimiter, quoting=csv.QUOTE_NONE if tabbed else csv.QUOTE_MINIMAL), []
    )
    wanted = options.columns or {
        role: role for role in ROLES if role in ("user", "query", "time", *map(_plain, names))
    }
    numbered = all(name.isdecimal() for name in wanted.values())
    roles = [-1] * len(names)
    for role, name in wanted.items():
        roles[_place(names, name, numbered, source)] = ROLES.index(role)
    layout = LineLayout(
        delimiter,
        tuple(roles),
        quoted=not tabbed,
        header=not numbered,
        quoted_lines=options.quoted_lines,
    )
    return partial(read_delimited, source, layout)


def _plain(name: str) -> str:
    return name.strip().lower()


def _place(names: list[str], wanted: str, numbered: bool, source: SourceFile) -> int:
    """Which field has this name or number.

    The names found are not shown: without a header they are somebody's query.
    """
    if numbered and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    plain = [_plain(name) for name in names]
    if not numbered and _plain(wanted) in plain:
        return plain.index(_plain(wanted))
    raise InputError(
        f"{source.name} has no column {wanted!r} among the {len(names)} of its first line. "
        "Name the columns with --columns user=…,query=…,time=…"
    )
