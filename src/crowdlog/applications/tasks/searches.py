"""The searches of a log, person by person in the order of time, with the sites clicked for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.artifacts.parts import sites_of
from crowdlog.log.parts import batches
from crowdlog.log.sessions import SESSION_MINUTES, ends_session, session_numbers
from crowdlog.log.store import LogStore
from crowdlog.types import Bools, Ints

# A person with more searches is a programme or a shared computer: her history is clustered in pieces.
LONGEST_HISTORY = 3_000
ROWS = 1 << 18  # of the log, read at once
_COLUMNS = ["user", "time", "query", "url", "impression"]


@dataclass(frozen=True, repr=False)
class Searches:
    """Rows of equal (user, time, query) are one search; an equal query right after is the same search again
    (`by_session`: unless a session ended between them).

    `user`, `time`, `query` and `first` have an entry for each search. `first` is the number of the search
    that this one repeats: itself, unless the query is that of the search before. `site` holds the clicked
    sites of search i at `site[site_at[i] : site_at[i + 1]]`, sorted, each once.
    """

    user: Ints
    time: Ints
    query: Ints
    first: Ints
    site_at: Ints
    site: Ints

    def __len__(self) -> int:
        return len(self.user)

    def __repr__(self) -> str:
        return f"Searches({len(self)} of {len(np.unique(self.user))} people)"

    @cached_property
    def session(self) -> Ints:
        """The session of each search, counted over all people."""
        return session_numbers(self.user, np.diff(self.time, prepend=self.time[:1]), SESSION_MINUTES)

    @property
    def kept(self) -> Ints:
        """The searches that repeat none."""
        found: Ints = np.flatnonzero(self.first == np.arange(len(self)))
        return found

    def people(self, rows: Ints) -> Ints:
        """Where each person's part of these rows begins, and the end."""
        user = self.user[rows]
        starts = np.flatnonzero(np.diff(user, prepend=-1))
        return np.append(starts, len(rows)).astype(np.int64)


def read_searches(store: LogStore, *, keep_repeats: bool = False, by_session: bool = False) -> Searches:
    """All searches of a store."""
    table: Any = pq.read_table(store.events(), columns=_COLUMNS)
    return _searches(table, _site_of_url(store), keep_repeats, by_session)


def people_at_a_time(
    store: LogStore, *, keep_repeats: bool = False, by_session: bool = False, rows: int = ROWS
) -> Iterator[Searches]:
    """All searches of a store, some whole people after others: about so many rows of the log at once."""
    site_of_url = _site_of_url(store)
    waiting: list[Any] = []
    size = 0
    for batch in batches(store.events(), _COLUMNS):
        waiting.append(batch)
        size += batch.num_rows
        if size >= rows:
            table = pa.Table.from_batches(waiting)
            user = table["user"].to_numpy()
            whole = int(np.searchsorted(user, user[-1]))  # rows are sorted by user; the last one may go on
            if whole:
                yield _searches(table.slice(0, whole), site_of_url, keep_repeats, by_session)
            waiting = table.slice(whole).to_batches()
            size = table.num_rows - whole
    if size:
        yield _searches(pa.Table.from_batches(waiting), site_of_url, keep_repeats, by_session)


def _searches(table: Any, site_of_url: Ints, keep_repeats: bool, by_session: bool) -> Searches:
    user, time, query = (table[name].to_numpy() for name in ("user", "time", "query"))
    url = table["url"].fill_null(-1).to_numpy()
    new = _begins(user, time, query)
    if (new & ~table["impression"].to_numpy()).any():
        order = _together(user, time, query)
        user, time, query, url = user[order], time[order], query[order], url[order]
        new = _begins(user, time, query)
    number = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    user, time, query = user[starts], time[starts], query[starts]
    first = np.arange(len(starts)) if keep_repeats else _repeated(user, time, query, by_session)
    clicked = np.flatnonzero(url >= 0)
    site_at, site = _sites(site_of_url, first[number[clicked]], url[clicked], len(starts))
    return Searches(user, time, query, first, site_at, site)


def _begins(user: Any, time: Any, query: Any) -> Bools:
    """The first row of each search whose rows stand right behind each other, as nearly always in a store."""
    new = np.ones(len(user), bool)
    new[1:] = (user[1:] != user[:-1]) | (time[1:] != time[:-1]) | (query[1:] != query[:-1])
    return new


def _together(user: Any, time: Any, query: Any) -> Ints:
    """An order in which all rows of a search stand together, searches of one second as they first came."""
    second = np.cumsum(_begins(user, time, np.zeros_like(query)))
    key = second * (int(query.max()) + 1) + query
    _keys, first, of = np.unique(key, return_index=True, return_inverse=True)
    order: Ints = np.argsort(first[of], kind="stable")
    return order


def _sites(site_of_url: Ints, search: Ints, url: Any, searches: int) -> tuple[Ints, Ints]:
    """Clicked sites of each search; a click for a repeated search belongs to the search it repeats."""
    keys = np.unique(search * np.int64(2**32) + site_of_url[url])
    lengths = np.bincount(keys >> 32, minlength=searches)
    at = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return at, keys & (2**32 - 1)


def _site_of_url(store: LogStore) -> Ints:
    found: Ints = sites_of(_texts_in_batches(store.urls())).site
    return found


def _texts_in_batches(path: Any) -> Iterator[Any]:
    for batch in batches(path, ["text"]):
        yield batch.column(0)


def _repeated(user: Ints, time: Ints, query: Ints, by_session: bool) -> Ints:
    """The search that each one repeats: of a run of equal queries the first."""
    again = np.zeros(len(user), bool)
    again[1:] = (user[1:] == user[:-1]) & (query[1:] == query[:-1])
    if by_session:
        again[1:] &= ~ends_session(np.diff(time), SESSION_MINUTES)
    first: Ints = np.maximum.accumulate(np.where(again, 0, np.arange(len(user))))
    return first


def query_texts(store: LogStore) -> pa.StringArray:
    """The texts of all queries of a store, by their numbers."""
    return store.query_texts(np.arange(store.info.queries))


def user_names(store: LogStore) -> list[str]:
    """The names of all people of a store, by their numbers."""
    column: Any = pq.read_table(store.users(), columns=["text"])["text"]
    names: list[str] = column.to_pylist()
    return names
