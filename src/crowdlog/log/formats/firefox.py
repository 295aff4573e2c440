"""Firefox: the file `places.sqlite` of a profile. Searches are the result pages of known engines among the
visits; pages opened from them are clicks.
"""

from __future__ import annotations

from crowdlog.log.formats.search_pages import history_reader

# Times are microseconds since 1970.
_VISITS = (
    "SELECT visits.id, visits.from_visit, visits.visit_date / 1000000, places.url "
    "FROM moz_historyvisits AS visits JOIN moz_places AS places ON places.id = visits.place_id "
    "ORDER BY visits.id"
)
read = history_reader(_VISITS)
