"""Tell a log's format from its first lines."""

from __future__ import annotations

import re

from crowdlog.errors import InputError
from crowdlog.log.format_names import FORMATS
from crowdlog.log.formats import access_log, ga4, matomo, solr, tripclick, ubi, yandex
from crowdlog.log.formats.delimited import first_fields
from crowdlog.log.formats.elasticsearch import is_slow_log
from crowdlog.log.formats.field_names import look
from crowdlog.log.formats.no_people import IF_QUERIES, told_by_lines, told_by_names, told_by_one_column
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.parquet import columns_of, is_parquet
from crowdlog.log.formats.roles import looks_like_names
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
    "yandex": yandex.LINE,
}
_SERVERS = {"access-log": access_log.LINE, "solr": solr.LINE}
_FIELDS = {
    "ubi": (ubi.QUERIES, ubi.EVENTS),
    "ga4": (ga4.FIELDS,),
    "matomo": (matomo.FIELDS,),
    "tripclick": (tripclick.FIELDS,),
}


def recognise(source: SourceFile, options: ReadOptions) -> str:
    """The name of the format. If the caller names columns, it is a general one."""
    head = source.head().removeprefix(b"\xef\xbb\xbf")
    if is_parquet(head):
        return _records(source, "parquet", list(columns_of(source)), options)
    if head.startswith(b"SQLite format 3\0"):
        return _browser(source)
    _refuse_binary(source, head)
    text = head.lstrip()
    if text.startswith(b"[") and b'"titleUrl"' in text:
        return "takeout"
    if text.startswith(b"<") and re.search(rb"<session[\s>]", text):
        return "trec-session"
    lines = [line.rstrip(b"\r") for line in head.split(b"\n") if line.strip()][:20]
    if not lines or re.fullmatch(rb"\[\s*\]|\{\s*\}", text.rstrip()):
        raise InputError(f"{source.name} is empty; there is nothing to import.")
    if is_slow_log(lines[0]):
        return "elasticsearch"
    if options.columns is None and re.match(rb"<(!doctype )?html\b", text, re.IGNORECASE):
        raise InputError(
            f"{source.name} is a web page. If it is an activity of Google Takeout, export it once more and "
            "choose JSON instead of HTML."
        )
    if text.startswith((b"{", b"[{", b"[\n", b"[\r", b"[ ")):
        return _records(source, "jsonl", look(source).names, options)
    return _by_lines(source, lines, options)


def _records(source: SourceFile, general: str, names: list[str], options: ReadOptions) -> str:
    """Which export records are, by the names of their fields."""
    if options.columns is not None:
        return general
    for name, fields in _FIELDS.items():
        if any(fields_of_one <= set(names) for fields_of_one in fields):
            return name
    told = told_by_names(names)
    if told is not None:
        raise InputError(f"{source.name} {told}")
    return general


def _by_lines(source: SourceFile, lines: list[bytes], options: ReadOptions) -> str:
    if options.columns is not None:
        return _served(lines) or ("tsv" if b"\t" in lines[0] else "csv")
    delimiter, fields = first_fields(source, None)
    general = "tsv" if delimiter == "\t" else "csv"
    if {"user", "query", "time"} <= {name.strip().lower() for name in fields}:
        return general
    if _AOL_HEADER.match(lines[0]):
        return "aol"
    whole = lines[:-1] or lines  # the last one may be cut
    fitting = [name for name, pattern in _LINES.items() if any(pattern.match(line) for line in whole)]
    if len(fitting) > 1:  # one person's row must not decide how the rows of others are read
        both = " and others like ".join(fitting)
        raise InputError(f"Some of the first lines of {source.name} look like {both}. {_HELP}.")
    if fitting or _served(whole):
        return fitting[0] if fitting else str(_served(whole))
    told = told_by_lines(whole) or (told_by_names(fields) if looks_like_header(fields) else None)
    if told is not None:
        raise InputError(f"{source.name} {told}")
    if len(fields) > 1 and looks_like_names(fields):
        return general
    if len(fields) > 1:
        raise InputError(
            f"The format of {source.name} is not recognised. If it is a table without a header, number its "
            f"{len(fields)} columns: --columns user=1,query=2,time=3. If not, {_HELP[0].lower()}{_HELP[1:]}"
        )
    if source.partitions:  # folders may say who it was
        raise InputError(f"The format of {source.name} is not recognised. {_HELP}")
    told = told_by_one_column(fields)
    if told is not None:
        raise InputError(f"{source.name} {told}")
    raise InputError(f"The format of {source.name} is not recognised. {_HELP}. {IF_QUERIES}")


def _served(lines: list[bytes]) -> str | None:
    """Whether these are lines of a server: most are, for their writers mix in other messages."""
    for name, pattern in _SERVERS.items():
        if 2 * sum(pattern.match(line) is not None for line in lines) > len(lines):
            return name
    return None


def looks_like_header(fields: list[str]) -> bool:
    """Short words in every place."""
    return all(re.fullmatch(r"[^\W\d][\w .()/\-]{0,40}", name.strip()) for name in fields)


# As much of each mark as no text begins with: somebody may be called BZhang, or 7z and a Chinese word.
_PACKED = {
    "bzip2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),  # a first block, or the end
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "7-Zip": re.compile(rb"7z\xbc\xaf\x27\x1c"),
}


def _refuse_binary(source: SourceFile, head: bytes) -> None:
    if head.startswith(b"PK\x03\x04"):
        raise InputError(
            f"{source.name} is an Excel workbook or a zip archive. Save the sheet as CSV UTF-8 or Unicode "
            "text, or unpack the archive, and import that."
        )
    for packer, mark in _PACKED.items():
        if mark.match(head):
            raise InputError(
                f"{source.name} is packed by {packer}, which is not read. Unpack it, or use gzip or zstd."
            )
    if b"\0" in head:
        raise InputError(
            f"{source.name} is a binary file, not a log. Export it as CSV, JSON Lines or Parquet. {_HELP}."
        )


def _browser(source: SourceFile) -> str:
    """Whose history a database is, by its tables."""
    tables = tables_of(source)
    if {"visits", "urls"} <= tables:
        return "chromium"
    if {"moz_places", "moz_historyvisits"} <= tables:
        return "firefox"
    raise InputError(f"{source.name} is a database, but not the history of a known browser. {_HELP}.")
