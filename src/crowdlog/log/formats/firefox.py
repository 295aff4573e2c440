"""Firefox: the file `places.sqlite` of a profile. Searches are the result pages of known engines among the
visits; pages opened from them are clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crowdlog.log.columns import Batch
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.search_pages import batches, searches, visits_of
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

# Times are microseconds since 1970.
_VISITS = (
    "SELECT visits.id, visits.from_visit, visits.visit_date / 1000000, places.url "
    "FROM moz_historyvisits AS visits JOIN moz_places AS places ON places.id = visits.place_id "
    "ORDER BY visits.id"
)


def read(source: SourceFile, _options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    source.head()

    def rows(advance: Advance) -> Iterator[Batch]:
        yield from batches(searches(visits_of(source, _VISITS)))
        advance(source.path.stat().st_size)

    return rows
