"""A log's events as plain arrays, for measuring. Row by row as in the store: by user, then time."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

    from crowdlog.utility.vocabulary import Vocabulary

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
COLUMNS = ["user", "time", "query", "impression", "rank", "url", "gap"]


@dataclass(frozen=True)
class Events:
    """Parallel arrays, one entry per row."""

    user: npt.NDArray[np.integer[Any]]
    time: Ints
    query: npt.NDArray[np.integer[Any]]
    url: npt.NDArray[np.integer[Any]]  # -1 without click
    rank: npt.NDArray[np.integer[Any]]  # 0 when not known
    impression: Bools
    session: Ints  # unique over all users

    def __len__(self) -> int:
        return len(self.user)

    def __repr__(self) -> str:
        return f"Events({len(self)} rows)"

    def part(self, rows: Bools) -> Events:
        """The marked rows only. Sessions keep their numbers."""
        return Events(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def with_queries(self, queries: Ints | None) -> Events:
        """The same events with other ids of queries; None changes nothing."""
        return self if queries is None else replace(self, query=queries[self.query])

    def renamed(self, queries: Ints, urls: Ints) -> Events:
        """The same events with other ids: the new id of each old one."""
        url = np.where(self.url >= 0, urls[self.url], -1) if len(urls) else np.full(len(self), -1)
        return Events(self.user, self.time, queries[self.query], url, self.rank, self.impression, self.session)


def read_events(path: Path, session_minutes: int) -> Events:
    """Read the store's events. A gap above the time-out starts a session."""
    table = pq.read_table(path, columns=COLUMNS)
    user = table["user"].to_numpy()
    gap = _filled(table["gap"], 0)
    impression = table["impression"].to_numpy()
    first = np.ones(len(user), bool)
    first[1:] = user[1:] != user[:-1]
    starts = first | (impression & (gap > session_minutes * 60))
    return Events(
        user=user,
        time=table["time"].to_numpy(),
        query=table["query"].to_numpy(),
        url=_filled(table["url"], -1),
        rank=_filled(table["rank"], 0),
        impression=impression,
        session=np.cumsum(starts) - 1,
    )


def events_of_table(table: Any, vocabulary: Vocabulary, session_minutes: int) -> Events:
    """The rows (user, query, time, rank, url) that an unsafe release publishes, put in order."""
    user = table["user"].combine_chunks().dictionary_encode().indices.to_numpy()
    time = table["time"].cast("int64").to_numpy()
    query = vocabulary.queries.ids(table["query"])
    url = np.where(table["url"].is_valid().to_numpy(), vocabulary.urls.ids(table["url"].fill_null("")), -1)
    order = np.lexsort((np.arange(len(user)), time, user))
    user, time, query, url = user[order], time[order], query[order], url[order]
    first = np.ones(len(user), bool)
    first[1:] = user[1:] != user[:-1]
    starts = first | (np.diff(time, prepend=0) > session_minutes * 60)
    _keys, seen_at = np.unique(np.stack([user, time, query]), axis=1, return_index=True)
    impression = np.zeros(len(user), bool)
    impression[seen_at] = True
    return Events(user, time, query, url, _filled(table["rank"], 0)[order], impression, np.cumsum(starts) - 1)


def _filled(column: Any, instead: int) -> Any:
    return column.fill_null(instead).to_numpy()
