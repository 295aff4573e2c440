"""Chromium: the file `History` of a profile of Chrome, Chromium, Edge, Brave, Opera or Vivaldi. Searches are
the result pages of known engines among the visits; pages opened from them are clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crowdlog.log.columns import Batch
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.search_pages import batches, searches, visits_of
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

# Times are microseconds since 1601.
_VISITS = (
    "SELECT visits.id, visits.from_visit, visits.visit_time / 1000000 - 11644473600, urls.url "
    "FROM visits JOIN urls ON urls.id = visits.url ORDER BY visits.id"
)


def read(source: SourceFile, _options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    source.head()

    def rows(advance: Advance) -> Iterator[Batch]:
        yield from batches(searches(visits_of(source, _VISITS)))
        advance(source.path.stat().st_size)

    return rows
