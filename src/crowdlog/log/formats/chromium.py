"""Chromium: the file `History` of a profile of Chrome, Chromium, Edge, Brave, Opera or Vivaldi. Searches are
the result pages of known engines among the visits; pages opened from them are clicks.
"""

from __future__ import annotations

from crowdlog.log.formats.search_pages import history_reader

# Times are microseconds since 1601.
_VISITS = (
    "SELECT visits.id, visits.from_visit, visits.visit_time / 1000000 - 11644473600, urls.url "
    "FROM visits JOIN urls ON urls.id = visits.url ORDER BY visits.id"
)
read = history_reader(_VISITS)
