"""TripClick: JSON Lines of a health search engine with `SessionId`, `Keywords`, `DateCreated` and the clicked
`Url`. A user is a session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from crowdlog.log.columns import Batch
from crowdlog.log.formats import jsonlines
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

FIELDS = frozenset({"SessionId", "Keywords", "DateCreated"})
_ROLES = {"user": "SessionId", "query": "Keywords", "time": "DateCreated", "url": "Url"}


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    return jsonlines.read(source, replace(options, columns=options.columns or _ROLES))
