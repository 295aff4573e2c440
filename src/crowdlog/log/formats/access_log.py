"""nginx and Apache access logs (common or combined): requests with a search parameter (`--query-parameter`,
`q` and others by default) are searches; a page whose referrer is a result page is its click. A user is the
logged-in name, else the address and the browser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch
from crowdlog.log.formats.lines import Row, read_lines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.times import translated
from crowdlog.log.formats.web_address import query_in
from crowdlog.log.formats.without_searches import only_searches
from crowdlog.log.rejects import COLUMNS, GOOD, SCRUBBED
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

LINE = re.compile(
    rb'(?:\S+:\d+ )?(\S+) \S+ (\S+) \[([^\]]+)\] "(?:[A-Z]+) (\S+)[^"]*" (\d{3}) \S+'
    rb'(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?.*'
)
_NONE: Row = (b"",) * 5
# What a page loads by itself is no choice of the reader.
_LOADED = re.compile(r"\.(css|js|mjs|map|png|jpe?g|gif|svg|webp|ico|woff2?|ttf|json|xml)$", re.IGNORECASE)


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    return partial(_read, source, options)


def _read(source: SourceFile, options: ReadOptions, advance: Advance) -> Iterator[Batch]:
    requests = _Requests(options.query_parameter)
    yield from translated(only_searches(read_lines(source, requests, advance)), None, source.name)
    if not requests.searches:
        raise InputError(
            f"None of the {requests.total:,} requests of {source.name} has a search parameter. "
            "Say its name with --query-parameter."
        )
    others = requests.total - requests.searches - requests.clicks
    if others:
        options.tell(
            f"{others:,} of {requests.total:,} requests of {source.name} are neither searches nor clicks."
        )
    if requests.unnamed:
        options.tell(
            "The users are network addresses with their browsers: people who share both count as one, and "
            "one who changes either as several."
        )


class _Requests:
    """Turns lines into rows; counts what they are."""

    def __init__(self, parameter: str | None) -> None:
        self._parameter = parameter
        self._asked: dict[tuple[bytes, str], bytes] = {}  # user and query: when
        self.total = self.searches = self.clicks = self.unnamed = 0

    def __call__(self, line: bytes) -> tuple[Row, int]:
        match = LINE.fullmatch(line)
        if match is None:
            return _NONE, COLUMNS
        self.total += 1
        address, name, time, target, status, referrer, browser = match.groups()
        user = name if name != b"-" else address + b" " + (browser or b"")
        place = target.decode("utf-8", "replace")
        query = query_in(place, self._parameter)
        if not status.startswith((b"2", b"3")):
            return _NONE, SCRUBBED
        if query is not None:
            return self._search(user, query, time, named=name != b"-")
        return self._click(user, place, (referrer or b"").decode("utf-8", "replace"))

    def _search(self, user: bytes, query: str, time: bytes, *, named: bool) -> tuple[Row, int]:
        self.searches += 1
        self.unnamed += not named
        self._asked[user, query] = time
        return (user, query.encode(), time, b"", b""), GOOD

    def _click(self, user: bytes, place: str, referrer: str) -> tuple[Row, int]:
        query = query_in(referrer, self._parameter)
        since = self._asked.get((user, query)) if query is not None else None
        if query is None or since is None or _LOADED.search(place.partition("?")[0]):
            return _NONE, SCRUBBED
        self.clicks += 1
        return (user, query.encode(), since, b"", place.encode()), GOOD
