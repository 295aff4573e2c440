"""Elasticsearch and OpenSearch search slow logs, as JSON or as lines with `source[…], id[…]`: the words of
the query body are the query, the request's X-Opaque-Id is the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from crowdlog.errors import InputError
from crowdlog.json_safe import each_once
from crowdlog.log.columns import Batch
from crowdlog.log.formats.lines import Row, lines_of, read_lines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.records import as_object
from crowdlog.log.formats.times import translated
from crowdlog.log.formats.without_searches import only_searches
from crowdlog.log.rejects import GOOD, RECORD, SCRUBBED, TWICE
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

LINE = re.compile(rb"\[(\d{4}-\d\d-\d\d[T ][^\]]+)\].*?\bsource\[(\{.*\})\], id\[([^\]]*)\].*")
_JSON = re.compile(rb"\{.*search.?slowlog", re.IGNORECASE)
_NONE: Row = (b"",) * 5
_LOOK = 2000
# Clauses of the query language that hold what a person typed.
_TYPED = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "multi_match", "query_string",
          "simple_query_string", "combined_fields")  # fmt: skip


def is_slow_log(line: bytes) -> bool:
    return LINE.match(line) is not None or _JSON.match(line) is not None


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    found = [_parts(line) for _n, line in zip(range(_LOOK), lines_of(source), strict=False)]
    if not any(part and part[2] for part in found):
        raise InputError(
            f"{source.name} has no person in it: its requests carry no X-Opaque-Id, so no promise to a "
            "person is possible. Let the search page send a visitor's id in the header X-Opaque-Id, or "
            "export User Behavior Insights (UBI)."
        )
    return partial(_read, source, options)


def _parts(line: bytes) -> tuple[str, str, str] | None:
    """Time, query body and X-Opaque-Id of a line."""
    match = LINE.fullmatch(line)
    if match is not None:
        return match[1].decode(), match[2].decode("utf-8", "replace"), match[3].decode("utf-8", "replace")
    if not _JSON.match(line):
        return None
    try:
        told = json.loads(line, object_pairs_hook=each_once)
    except ValueError:
        return None
    slow = {str(key).removeprefix("elasticsearch.slowlog."): value for key, value in told.items()}
    return (
        str(slow.get("@timestamp") or slow.get("timestamp")),
        str(slow.get("source")),
        str(slow.get("id") or ""),
    )


def _read(source: SourceFile, options: ReadOptions, advance: Advance) -> Iterator[Batch]:
    counts = {"lines": 0, "searches": 0}

    def parse(line: bytes) -> tuple[Row, int]:
        counts["lines"] += 1
        found = _parts(line)
        if found is None:
            return _NONE, RECORD if _JSON.match(line) else SCRUBBED
        time, body, user = found
        words, reason = _typed(body)
        if words is None:
            return _NONE, reason
        counts["searches"] += 1
        return (user.encode(), words.encode(), _iso(time).encode(), b"", b""), GOOD

    yield from translated(only_searches(read_lines(source, parse, advance)), options.time_format, source.name)
    others = counts["lines"] - counts["searches"]
    if others:
        options.tell(
            f"{others:,} of {counts['lines']:,} lines of {source.name} hold no words that somebody typed."
        )


def _iso(time: str) -> str:
    return re.sub(r"[.,]\d+", "", time)


def _typed(body: str) -> tuple[str | None, int]:
    """What was typed into the search box: the first text of a full-text clause; or why there is none."""
    try:
        return next(_texts(json.loads(body, object_pairs_hook=each_once)), None), SCRUBBED
    except (ValueError, RecursionError):
        return None, SCRUBBED if as_object(body) is None else TWICE


def _texts(clause: Any) -> Iterator[str]:
    if isinstance(clause, list):
        for each in clause:
            yield from _texts(each)
    elif isinstance(clause, dict):
        for name, inner in clause.items():
            if name in _TYPED and isinstance(inner, dict):
                yield from _of_clause(inner)
            else:
                yield from _texts(inner)


def _of_clause(inner: dict[str, Any]) -> Iterator[str]:
    if isinstance(inner.get("query"), str):
        yield inner["query"]
        return
    for value in inner.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict) and isinstance(value.get("query"), str):
            yield value["query"]
