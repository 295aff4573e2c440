"""Yandex, Personalized Web Search Challenge: sessions with lines M (day, user), Q or T (query as numbers of
words, results) and C (clicks). Queries are numbers, because the log was published so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from crowdlog.log.columns import Batch
from crowdlog.log.formats.lines import Row, read_lines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.without_searches import only_searches
from crowdlog.log.rejects import COLUMNS, GOOD, SCRUBBED
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

LINE = re.compile(rb"\d+\t(M\t\d+\t\d+|\d+\t[QT]\t\d+\t\d+\t[\d,]+\t[\d,\t]*)$")
_NONE: Row = (b"",) * 5
_DAY = 86400


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    return partial(_read, source, options)


def _read(source: SourceFile, options: ReadOptions, advance: Advance) -> Iterator[Batch]:
    options.tell("Queries and pages of this log are numbers: what is released are numbers too.")
    yield from only_searches(read_lines(source, _Sessions(), advance))


class _Sessions:
    """The lines of a session follow its M line; the time passed is in units the publisher kept secret, taken
    as seconds here.
    """

    def __init__(self) -> None:
        self._user, self._day = b"", 0
        self._asked: dict[bytes, tuple[bytes, bytes, list[bytes]]] = {}  # result page: query, time, results

    def __call__(self, line: bytes) -> tuple[Row, int]:
        fields = line.split(b"\t")
        try:
            return self._row(fields)
        except (ValueError, IndexError, KeyError):
            return _NONE, COLUMNS

    def _row(self, fields: list[bytes]) -> tuple[Row, int]:
        if fields[1] == b"M":
            self._day, self._user = int(fields[2]), fields[3]
            self._asked = {}
            return _NONE, SCRUBBED
        if fields[2] in (b"Q", b"T"):
            time = b"%09d" % (self._day * _DAY + int(fields[1]))
            query = fields[5].replace(b",", b" ")
            results = [pair.split(b",")[0] for pair in fields[6:]]
            self._asked[fields[3]] = (query, time, results)
            return (self._user, query, time, b"", b""), GOOD
        if fields[2] != b"C":
            raise ValueError
        query, time, results = self._asked[fields[3]]
        rank = results.index(fields[4]) + 1
        return (self._user, query, time, b"%d" % rank, fields[4]), GOOD
