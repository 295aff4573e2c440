"""Google Analytics 4, the events table of its BigQuery export as JSON or Parquet: searches are the events
`view_search_results` and `search` with the parameter `search_term`; other events with that parameter and a
link or an item are clicks.
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

FIELDS = frozenset({"event_name", "event_timestamp", "user_pseudo_id", "event_params"})
_SEARCHES = ("view_search_results", "search")
_LINKS = ("link_url", "item_id", "content_id", "item_name")


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    return partial(expanded, source, _Events().rows, options.tell)


class _Events:
    """A click takes the time of the search it belongs to: the person's last one for the same query."""

    def __init__(self) -> None:
        self._asked: dict[tuple[object, object], int] = {}

    def rows(self, event: dict[str, Any]) -> Iterator[Values]:
        told = {str(each.get("key")): _value(each.get("value")) for each in event.get("event_params") or []}
        query = told.get("search_term")
        if query is None:
            return
        user = event.get("user_id") or event.get("user_pseudo_id")
        seconds = int(event.get("event_timestamp") or 0) // 1_000_000
        link = next((told[name] for name in _LINKS if told.get(name)), None)
        if event.get("event_name") in _SEARCHES:
            self._asked[user, query] = seconds
            yield user, query, seconds, None, None
        elif link is not None:
            yield user, query, self._asked.get((user, query), seconds), None, link


def _value(value: object) -> object:
    """BigQuery keeps a parameter under the name of its type."""
    if not isinstance(value, dict):
        return value
    return next((value[kind] for kind in ("string_value", "int_value") if value.get(kind) is not None), None)
