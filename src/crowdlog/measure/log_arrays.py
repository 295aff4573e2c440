"""Rows of a log as plain arrays, for measuring: of a store, of a release of rows, or made by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from crowdlog.log.sessions import SESSION_MINUTES, session_numbers
from crowdlog.log.store import LogStore
from crowdlog.measure.vocabulary import TextIds, Vocabulary
from crowdlog.types import Bools, Ints

MISSING = {"url": -1, "rank": 0, "gap": 0}  # what stands for null


def _column(name: str) -> cached_property[Any]:
    return cached_property(lambda rows: rows.read(name))


class LogArrays:
    """Parallel arrays, one entry per row, sorted by user, then time.

    A column is read when it is first asked for.
    """

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read

    user = _column("user")
    time = _column("time")
    query = _column("query")
    url = _column("url")  # −1 without a click
    rank = _column("rank")  # 0 when it is not known
    impression = _column("impression")  # the first row of its (user, time, query)
    nth_impression = _column("nth_impression")  # how many impressions of the user came before
    session = _column("session")  # a number that is unique over all users

    def __len__(self) -> int:
        return len(self.user)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows)"

    def where(self, rows: Bools) -> LogArrays:
        """The marked rows only. Sessions keep their numbers."""
        return LogArrays(lambda name: getattr(self, name)[rows])

    def renamed(self, queries: Ints | None, urls: Ints | None = None) -> LogArrays:
        """The same rows with other ids: the new id of each old one. None: the ids stay."""
        new = {"query": queries, "url": urls}

        def read(name: str) -> Any:
            column, ids = getattr(self, name), new.get(name)
            return column if ids is None else np.append(ids, -1)[column]  # an id of −1 stays

        return LogArrays(read)


def read_log(store: LogStore, session_minutes: int = SESSION_MINUTES) -> LogArrays:
    """All rows of a store."""
    return LogArrays(partial(read_column, store, session_minutes))


def read_column(store: LogStore, session_minutes: int, name: str, *, impressions: bool = False) -> Any:
    """One column of a store, of all rows or of the impressions alone."""
    read = partial(_read, store.events(), impressions=impressions)
    if name != "session":
        return read(name)
    gap = np.where(read("impression"), read("gap"), 0)  # the clicks of an impression have its gap too
    return session_numbers(read("user"), gap, session_minutes)


def _read(path: Path, name: str, *, impressions: bool) -> Any:
    table: Any = pq.read_table(path, columns=list({name, "impression"}) if impressions else [name])
    column = table.filter(table["impression"])[name] if impressions else table[name]
    return (column.fill_null(MISSING[name]) if name in MISSING else column).to_numpy()


def rows_of_table(table: Any, vocabulary: Vocabulary, session_minutes: int) -> LogArrays:
    """The rows (user, query, time, rank, url) that an unsafe release publishes, put in order."""
    url = vocabulary.urls.ids(table["url"].fill_null(""))
    columns = {
        "user": table["user"].combine_chunks().dictionary_encode().indices.to_numpy(),
        "time": table["time"].cast("int64").to_numpy(),
        "query": vocabulary.queries.ids(table["query"]),
        "url": np.where(table["url"].is_valid().to_numpy(), url, MISSING["url"]),
        "rank": table["rank"].fill_null(MISSING["rank"]).to_numpy(),
    }
    order = np.lexsort((columns["time"], columns["user"]))
    columns = {name: column[order] for name, column in columns.items()}
    keys = np.stack([columns[name] for name in ("user", "time", "query")])
    by_key = np.lexsort(keys[::-1])  # stable: of rows with one key the first stays first
    first = (np.diff(keys[:, by_key], axis=1, prepend=-1) != 0).any(axis=0)
    columns["impression"] = np.zeros(len(order), bool)
    columns["impression"][by_key[first]] = True
    gap = np.diff(columns["time"], prepend=0)
    columns["session"] = session_numbers(columns["user"], gap, session_minutes)
    return LogArrays(columns.__getitem__)


class Impressions(LogArrays):
    """The rows of a store that are impressions, with the profile of each user and the ids of texts."""

    def __init__(self, store: LogStore) -> None:
        super().__init__(partial(read_column, store, SESSION_MINUTES, impressions=True))
        self.store = store
        self.users = store.info.users
        self.queries = store.info.queries

    @cached_property
    def follows(self) -> Bools:
        """Which impressions are in the session of the impression before."""
        same = np.zeros(len(self), bool)
        same[1:] = self.session[1:] == self.session[:-1]
        return same

    @cached_property
    def profile(self) -> Any:
        """Users by queries: how often each user asked each query, as a sparse matrix."""
        return count_matrix(self.user, self.query, (self.users, self.queries))

    @cached_property
    def holders(self) -> Ints:
        """How many users asked each query."""
        return np.bincount(self.profile.indices, minlength=self.queries)

    @cached_property
    def texts(self) -> TextIds:
        """The texts of all queries."""
        return TextIds(self.store.query_texts(np.arange(self.queries)))


def count_matrix(row: Ints, column: Ints, shape: tuple[int, int]) -> Any:
    """How often each (row, column) occurs, as a sparse matrix with sorted indices."""
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(len(row), np.int64), (row, column)), shape=shape)
    matrix.sum_duplicates()
    return matrix
