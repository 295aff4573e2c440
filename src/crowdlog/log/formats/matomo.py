"""Matomo: visits with their actions as the reporting API `Live.getLastVisitsDetails` gives them in JSON.
Actions of the type `search` are searches; a page opened right after one is its click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from crowdlog.log.columns import Batch
from crowdlog.log.formats.expanded import Values, expanded
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

FIELDS = frozenset({"idVisit", "visitorId", "actionDetails"})


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    return partial(expanded, source, _rows, options.tell)


def _rows(visit: dict[str, Any]) -> Iterator[Values]:
    user = visit.get("userId") or visit.get("visitorId")
    query, since = None, None
    for action in visit.get("actionDetails") or []:
        if action.get("type") == "search" and action.get("siteSearchKeyword"):
            query, since = action["siteSearchKeyword"], action.get("timestamp")
            yield user, query, since, None, None
        elif query is not None and action.get("type") in ("action", "outlink", "download"):
            yield user, query, since, None, action.get("url")
            query = None  # only the page right after the results was chosen from them
