"""Every search and every click of a log, in the order of users: read once, from the store's own files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.engine.log_source import LogSource
from crowdlog.log.parts import batches
from crowdlog.log.sessions import ends_session
from crowdlog.types import Bools, Ints

CHUNK = 1 << 17  # rows read at once: they stay in the processor's cache
HOUR = 3600
COLUMNS = ("user", "query", "time", "impression", "url", "nth_impression", "gap")
FIRST = np.iinfo(np.int64).max  # the gap before a user's first search
Ids = NDArray[np.int32]


@dataclass(frozen=True)
class LogRows:
    """Searches of user u are those from `starts[u]` to `starts[u + 1]`, her clicks those from
    `click_starts[u]` on. `follows`: the search is in the session of the one before. `click_search`: the
    number of the search that was clicked.
    """

    starts: Ints
    query: Ids
    hour: NDArray[np.int8]
    follows: Bools
    click_starts: Ints
    click_query: Ids
    click_url: Ids
    click_search: Ids

    @property
    def users(self) -> int:
        return len(self.starts) - 1

    @property
    def user(self) -> Ids:
        """The number of the user who made each search."""
        return np.repeat(np.arange(self.users, dtype=np.int32), np.diff(self.starts))

    def per_person(self) -> Ints:
        """How many searches each person has."""
        return np.diff(self.starts)

    def clicked(self, marked: Bools | None = None) -> Bools:
        """True for each search that has a click; with `marked`, for each that has a click on a marked URL."""
        found = np.zeros(len(self.query), bool)
        found[self.click_search if marked is None else self.click_search[marked[self.click_url]]] = True
        return found

    def __repr__(self) -> str:
        return f"LogRows({len(self.query)} searches of {self.users} people)"


def read_rows(source: LogSource, session_minutes: int) -> LogRows:
    """All of the log, queries in the source's representation."""
    users, most = source.log.info.users, source.log.info.rows
    # Memory that is not written to is not taken: there may be fewer searches than rows.
    query, hour, follows = np.empty(most, np.int32), np.empty(most, np.int8), np.empty(most, bool)
    clicked, url, search = (np.empty(most, np.int32) for _ in range(3))
    starts, click_starts = np.zeros(users + 1, np.int64), np.zeros(users + 1, np.int64)
    new = _new_ids(source)
    n = m = 0
    for batch in _batches(source):
        asked = batch["query"] if new is None else new[batch["query"]]
        inside = ~ends_session(batch["gap"], session_minutes)
        own = batch["user"], asked, batch["time"], batch["impression"], inside
        n = _searches(*own, n, query, hour, follows, starts)
        which = batch["user"], asked, batch["url"], batch["nth_impression"]
        m = _clicks(*which, m, clicked, url, search, click_starts)
    np.cumsum(starts, out=starts)
    np.cumsum(click_starts, out=click_starts)
    _add_starts(starts, click_starts, search)
    return LogRows(starts, query[:n], hour[:n], follows[:n], click_starts, clicked[:m], url[:m], search[:m])


@njit(cache=True)
def _searches(
    user: Any,
    asked: Any,
    time: Any,
    impression: Any,
    inside: Any,
    n: int,
    query: Any,
    hour: Any,
    follows: Any,
    per_user: Any,
) -> int:
    """Write the searches of a batch behind the n that there are, and count them for the next user's place."""
    for row in range(len(user)):
        if impression[row]:
            query[n], hour[n], follows[n] = asked[row], time[row] // HOUR % 24, inside[row]
            per_user[user[row] + 1] += 1
            n += 1
    return n


@njit(cache=True)
def _clicks(
    user: Any,
    asked: Any,
    urls: Any,
    nth: Any,
    m: int,
    clicked: Any,
    url: Any,
    search: Any,
    per_user: Any,
) -> int:
    """Append the clicks of a batch after the m that are stored, and count them for each user; return the new
    number of clicks.
    """
    for row in range(len(user)):
        if urls[row] >= 0:
            clicked[m], url[m], search[m] = asked[row], urls[row], nth[row]
            per_user[user[row] + 1] += 1
            m += 1
    return m


@njit(cache=True)
def _add_starts(starts: Any, click_starts: Any, search: Any) -> None:
    """Turn the index of a search within its user's searches into its index among all searches, in place."""
    for user in range(len(starts) - 1):
        for click in range(click_starts[user], click_starts[user + 1]):
            search[click] += starts[user]


def _batches(source: LogSource) -> Iterator[dict[str, Any]]:
    for batch in batches(source.log.events(), COLUMNS, CHUNK):
        plain = {name: batch[name] for name in COLUMNS}
        plain |= {"url": batch["url"].fill_null(-1), "gap": batch["gap"].fill_null(FIRST)}
        yield {name: column.to_numpy(zero_copy_only=False) for name, column in plain.items()}


def _new_ids(source: LogSource) -> Ids | None:
    """An array from query id to the id of its text in the representation; None where queries are as in the
    log.
    """
    if source.renaming is None:
        return None
    new = np.zeros(source.renaming.ids.num_rows, np.int32)
    new[source.renaming.ids["query"].to_numpy()] = source.renaming.ids["new"].to_numpy()
    return new
