"""Google Takeout: `MyActivity.json` of the product Search (choose JSON, not HTML). Searches are told by their
address, whatever the language of the export; visits are left out, for the export does not say which search
they came from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.search_pages import Row, batches, query_of, searches
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    source.head()

    def rows(advance: Advance) -> Iterator[Batch]:
        yield from batches(_rows(source, options.tell))
        advance(source.size)

    return rows


def _rows(source: SourceFile, tell: Callable[[str], None]) -> Iterator[Row]:
    """One person's activity fits into memory; its order is the latest first."""
    try:
        entries = json.loads(b"".join(source.blocks()), object_pairs_hook=_if_once)
    except ValueError as error:
        raise InputError(
            f"{source.name} is no whole JSON file; export 'My Activity' of the product Search as JSON again."
        ) from error
    if not isinstance(entries, list):
        raise InputError(f"{source.name} is no list of activities; choose MyActivity.json of the export.")
    if twice := entries.count(None):
        tell(f"{twice:,} activities say a field twice, and were left out: searches may be missing.")
    found = [(_time(entry), str(entry["titleUrl"])) for entry in entries if _is_search(entry)]
    yield from searches((number, None, time, url) for number, (time, url) in enumerate(sorted(found)))


def _if_once(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
    """An object; None where a name stands twice in it, for of two readers each may take another."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else None


def _is_search(entry: Any) -> bool:
    address = entry.get("titleUrl") if isinstance(entry, dict) else None
    return isinstance(address, str) and query_of(address) is not None


def _time(entry: dict[str, Any]) -> int:
    try:
        moment = datetime.fromisoformat(entry["time"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("A time of the export is none; export it again.") from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
