"""Any table as text: CSV (comma, semicolon or bar; quotes as in RFC 4180) or TSV (tab; no quoting, unless
every name of the header is in quotes or the file is Excel's, in UTF-16), with or without a header.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import partial

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES
from crowdlog.log.formats.no_people import IF_QUERIES
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.roles import looks_like_names
from crowdlog.log.formats.table_roles import TableRead, refuse_twice, table_roles
from crowdlog.log.scan import LineLayout, read_delimited
from crowdlog.log.sources import HEAD, SourceFile

# A field in quotes with doubled quotes inside, as nobody types a query and writers of CSV write one.
_DOUBLED = re.compile(rb'(?:^|\t)"(?:[^"\t\r\n]*+"")++[^"\t\r\n]*+"(?:\t|\r?$)', re.MULTILINE)


def read(source: SourceFile, options: ReadOptions) -> TableRead:
    """Columns given by number mean that there is no header."""
    delimiter, names = first_fields(source, options.format)
    numbered = options.columns is not None and all(map(str.isdecimal, options.columns.values()))
    places = [str(i + 1) for i in range(len(names))] if numbered else names
    if options.columns is not None:
        _refuse_missing(source, options.columns.values(), [*places, *source.partitions])
    elif not {"user", "query", "time"} <= {name.strip().lower() for name in names} and not (
        looks_like_names(names)
    ):
        if len(names) == 1 and not source.partitions:
            raise InputError(f"{source.name} has one column alone. {IF_QUERIES}")
        raise InputError(
            f"{source.name} seems to have no header, so its {len(names)} columns must be numbered: "
            "--columns user=1,query=2,time=3"
        )
    roles = table_roles(source, options, places)
    refuse_twice(source, places, roles)
    role_of = {places.index(name): ROLES.index(role) for role, name in roles.columns.items()}
    quoted = delimiter != "\t" or _of_excel(source) or (not numbered and _in_quotes(_first_line(source)))
    if not quoted and _DOUBLED.search(source.head()):
        options.tell(
            f"Fields of {source.name} stand in quotes with doubled ones inside. Between tabs quotes are "
            "taken for part of the text. If they are not, put the names of its header in quotes too, or "
            "save it as CSV."
        )
    layout = LineLayout(
        delimiter,
        tuple(role_of.get(place, -1) for place in range(len(places))),
        quoted=quoted,
        header=not numbered,
        quoted_lines=options.quoted_lines,
    )
    return TableRead(source, roles, partial(read_delimited, source, layout))


def first_fields(source: SourceFile, format_: str | None) -> tuple[str, list[str]]:
    """The delimiter and the fields of the first line."""
    first = _first_line(source)
    tabbed = format_ == "tsv" or (format_ != "csv" and "\t" in first)
    delimiter = "\t" if tabbed else max(",;|", key=first.count)
    if tabbed and not _in_quotes(first) and not _of_excel(source):
        return delimiter, first.split(delimiter)
    return delimiter, next(csv.reader([first], delimiter=delimiter), [])


def _first_line(source: SourceFile) -> str:
    head = source.head()
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip("\r\n")
    first = next(iter(text.splitlines()), "")
    if len(head) >= HEAD and len(first) == len(text):
        raise InputError(
            f"The first line of {source.name} is longer than {HEAD:,} bytes: no header is read from it."
        )
    return first


def _of_excel(source: SourceFile) -> bool:
    """Whether a tabbed text is what Excel calls Unicode text: there, what holds a comma or a quotation mark
    stands in quotes, and others do not write tables in UTF-16.
    """
    return (source.encoding or "").startswith("utf-16")


def _in_quotes(line: str) -> bool:
    """Whether a tabbed line has all of its fields in quotes: as a header it says that quotes mean what they
    mean in CSV.
    """
    return "\t" in line and all(re.fullmatch(r'"[^"]*"', field) for field in line.split("\t"))


def _refuse_missing(source: SourceFile, wanted: Iterable[str], names: list[str]) -> None:
    """The names found are not shown: without a header they are somebody's query."""
    plain = {name.strip().lower() for name in names}
    for name in wanted:
        if name.strip().lower() not in plain:
            raise InputError(
                f"{source.name} has no column {name!r} among the {len(names)} of its first line. "
                "Name the columns with --columns user=…,query=…,time=…"
            )
