"""Excite 1997: `user, yymmddHHMMSS, query`, tab separated, no header, no clicks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from crowdlog.log.columns import QUERY, TIME, USER, Batch
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.scan import LineLayout, read_delimited
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, _options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    source.head()
    return partial(read_delimited, source, LineLayout("\t", (USER, TIME, QUERY), time_size=12))
