"""Solr request log (`solr.log`): requests to a search handler with the parameter `q`. Solr knows no person:
name the parameter that your page sends as one with `--columns user=…,query=q`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import parse_qs

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch
from crowdlog.log.formats.lines import Row, lines_of, read_lines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.roles import guess_roles
from crowdlog.log.formats.times import translated
from crowdlog.log.formats.without_searches import only_searches
from crowdlog.log.rejects import GOOD, SCRUBBED
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

LINE = re.compile(
    rb"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?).*?\bpath=(\S+) params=\{(.*)\} .*?status=\d+.*"
)
_NONE: Row = (b"",) * 5
_LOOK = 2000


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    roles = options.columns or _guess(source)
    return partial(_read, source, roles["user"], roles["query"], options)


def _parameters(line: bytes) -> tuple[bytes, dict[str, list[str]]] | None:
    match = LINE.fullmatch(line)
    if match is None or match[2] in (b"/update", b"/get"):
        return None
    return match[1], parse_qs(match[3].decode("utf-8", "replace"))


def _guess(source: SourceFile) -> dict[str, str]:
    names: dict[str, None] = {}
    for _number, line in zip(range(_LOOK), lines_of(source), strict=False):
        names.update(dict.fromkeys((_parameters(line) or (b"", {}))[1]))
    user = guess_roles(list(names)).get("user")
    if user is None:
        raise InputError(
            f"{source.name} has no person in it: none of the request parameters is called like a user, so no "
            "promise to a person is possible. Let the search page send a visitor's id with each request (for "
            "example &uid=…), or name the parameter with --columns user=…,query=q."
        )
    return {"user": user, "query": "q"}


def _read(
    source: SourceFile, user: str, query: str, options: ReadOptions, advance: Advance
) -> Iterator[Batch]:
    counts = {"lines": 0, "searches": 0}

    def parse(line: bytes) -> tuple[Row, int]:
        counts["lines"] += 1
        found = _parameters(line)
        words = found[1].get(query) if found else None
        if found is None or words is None or words == ["*:*"]:
            return _NONE, SCRUBBED
        counts["searches"] += 1
        who = found[1].get(user, [""])[0]
        return (who.encode(), words[0].encode(), found[0], b"", b""), GOOD

    yield from translated(only_searches(read_lines(source, parse, advance)), None, source.name)
    if not counts["searches"]:
        raise InputError(f"No line of {source.name} is a search request with the parameter {query!r}.")
    others = counts["lines"] - counts["searches"]
    if others:
        options.tell(f"{others:,} of {counts['lines']:,} lines of {source.name} are no searches.")
