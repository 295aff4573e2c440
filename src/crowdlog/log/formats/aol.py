"""AOL 2006: `AnonID, Query, QueryTime, ItemRank, ClickURL`, tab separated, no quoting; rank and url empty or
absent without a click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from crowdlog.log.columns import QUERY, RANK, TIME, URL, USER, Batch
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.scan import LineLayout, read_delimited
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, _options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    """The header line is skipped if there is one: AOL's ten files each have theirs."""
    header = source.head().removeprefix(b"\xef\xbb\xbf")[:6].lower() == b"anonid"
    return partial(
        read_delimited, source, LineLayout("\t", (USER, QUERY, TIME, RANK, URL), header=header, shorter=3)
    )
