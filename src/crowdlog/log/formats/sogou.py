"""SogouQ: `time, user, [query], rank order, url`, tab separated, GB18030 (or UTF-8); the time is HH:MM:SS or
yyyymmddHHMMSS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, Batch
from crowdlog.log.formats.day import day_of
from crowdlog.log.formats.lines import Row, read_lines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.rejects import COLUMNS, GOOD, UNDECODABLE
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

# Neither a tab nor a digit's byte can be mistaken inside the Chinese text: GB18030 uses 0x30-0x39 only
# between bytes of 0x81 and more.
_LINE = re.compile(rb"(\d\d:\d\d:\d\d|\d{14})\t([^\t]*)\t([^\t]*)\t(\d+)[ \t](\d+)\t([^\t]*)")


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    head = source.head()
    whole = head[: head.rfind(b"\n") + 1] or head
    day = day_of(source, options)
    if day is None and re.match(rb"\d\d:\d\d:\d\d\t", whole):
        raise InputError(
            f"{source.name} tells the time of day only. Say the day with --date YYYY-MM-DD, or put it into "
            "the file's name as yyyymmdd."
        )
    digits = b"" if day is None else day.strftime("%Y%m%d").encode()
    return lambda advance: read_lines(source, _Parser(digits, _encoding(whole)), advance)


def _encoding(head: bytes) -> str:
    """Chinese text in GB18030 is practically never valid UTF-8."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError:
        return "gb18030"
    return "utf-8"


class _Parser:
    """A click after the first (order 2, 3, …) belongs to the impression of the first, so it takes that one's
    time.
    """

    def __init__(self, day: bytes, encoding: str) -> None:
        self._day = day
        self._encoding = encoding
        self._asked: dict[bytes, tuple[bytes, bytes]] = {}  # user: last query and its time

    def __call__(self, line: bytes) -> tuple[Row, int]:
        match = _LINE.fullmatch(line)
        if match is None:
            return ((b"",) * len(ROLES)), COLUMNS
        time, user, query, rank, order, url = match.groups()
        try:
            query, url = (text.decode(self._encoding).encode() for text in (query, url))
        except UnicodeDecodeError:
            return ((b"",) * len(ROLES)), UNDECODABLE
        if query.startswith(b"[") and query.endswith(b"]"):
            query = query[1:-1]
        if b":" in time:
            time = self._day + time.replace(b":", b"")
        asked, since = self._asked.get(user, (b"", b""))
        if order != b"1" and asked == query:
            time = since
        else:
            self._asked[user] = (query, time)
        return (user, query, time, rank, url), GOOD
