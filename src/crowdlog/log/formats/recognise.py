"""Tell a log's format from its first lines."""

from __future__ import annotations

import re

from crowdlog.errors import InputError
from crowdlog.log.formats.options import FORMATS
from crowdlog.log.formats.search_pages import tables_of
from crowdlog.log.sources import SourceFile

_HELP = (
    f"Say it with --format {'|'.join(FORMATS)}, and for csv, tsv, jsonl and parquet --columns "
    "user=…,query=…,time=…"
)
_TIME = rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d"
_AOL_HEADER = re.compile(rb"anonid\tquery\tquerytime\b", re.IGNORECASE)  # known well enough to stand alone
_LINES = {
    "aol": re.compile(rb"[^\t]+\t[^\t]*\t" + _TIME + rb"(\t\d*\t[^\t]*)?$"),
    "excite": re.compile(rb"[^\t]+\t\d{12}\t"),
    "sogou": re.compile(
        rb"(\d\d:\d\d:\d\d\t[^\t]+\t\[.*\]\t\d+[ \t]\d+\t|\d{14}\t[^\t]+\t[^\t]*\t\d+\t\d+\t)"
    ),
}


def recognise(source: SourceFile, *, has_columns: bool) -> str:
    """The name of the format. `has_columns`: the caller names columns, so it is a general format."""
    head = source.head().removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"SQLite format 3\0"):
        return _browser(source)
    if b"\0" in head:
        raise InputError(f"{source.name} is a binary file, not a log. {_HELP}.")
    text = head.lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    if text.startswith(b"[") and b'"titleUrl"' in text:
        return "takeout"
    if text.startswith(b"<") and re.search(rb"<session[\s>]", text):
        return "trec-session"
    lines = [line.rstrip(b"\r") for line in head.split(b"\n") if line.strip()][:20]
    if not lines:
        raise InputError(f"{source.name} is empty; there is nothing to import.")
    names = {field.strip(b' "').lower() for field in re.split(rb"[\t,;|]", lines[0])}
    if has_columns or {b"user", b"query", b"time"} <= names:
        return "tsv" if b"\t" in lines[0] else "csv"
    if _AOL_HEADER.match(lines[0]):
        return "aol"
    fitting = [
        name for name, pattern in _LINES.items() if any(pattern.match(line) for line in lines[:-1] or lines)
    ]
    if len(fitting) > 1:  # one person's row must not decide how the rows of others are read
        both = " and others like ".join(fitting)
        raise InputError(f"Some of the first lines of {source.name} look like {both}. {_HELP}.")
    if fitting:
        return fitting[0]
    raise InputError(f"The format of {source.name} is not recognised. {_HELP}.")


def _browser(source: SourceFile) -> str:
    """Whose history a database is, by its tables."""
    tables = tables_of(source)
    if {"visits", "urls"} <= tables:
        return "chromium"
    if {"moz_places", "moz_historyvisits"} <= tables:
        return "firefox"
    raise InputError(f"{source.name} is a database, but not the history of a known browser. {_HELP}.")
