"""The impressions of every user as arrays, and the sites they led to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from crowdlog.clusters.host_tree import HostTree, read_sites
from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore
from crowdlog.progress import progress_bar
from crowdlog.types import Ints


@dataclass(frozen=True, repr=False)
class UserRows:
    """User u has the rows `start[u]:start[u + 1]` of every column, in the order of time."""

    start: Ints
    query: NDArray[Any]
    time: Ints
    rank: NDArray[Any]  # 0 without a click
    site: NDArray[Any]  # −1 without a click
    sites: HostTree

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.start)

    @cached_property
    def people_of_site(self) -> Ints:
        """How many users clicked a page of each site, or of a site below it."""
        found: Ints = _people(self.start, self.site, self.sites.above)
        return found


@njit(cache=True, nogil=True)
def _people(start: Any, site: Any, above: Any) -> Any:
    people, last = np.zeros(len(above), np.int64), np.full(len(above), -1, np.int32)
    for user in range(len(start) - 1):
        for row in range(start[user], start[user + 1]):
            here = site[row]
            while here >= 0 and last[here] != user:  # she was counted for all that is above, too
                last[here] = user
                people[here] += 1
                here = above[here]
    return people


def read_user_rows(log: LogStore) -> UserRows:
    """The impressions of a log; the first click of each is its rank and site."""
    columns = ["user", "query", "time", "rank", "url", "impression"]
    sites = read_sites(log)
    of_url = np.append(sites.of_url, np.int32(-1))
    rows = log.info.impressions
    query, rank, site = (np.empty(rows, np.int32) for _ in range(3))
    time, length = np.empty(rows, np.int64), np.zeros(log.info.users, np.int64)
    at = 0
    with progress_bar("Reading histories", log.info.rows) as advance:
        for batch in batches(log.events(), columns):
            seen: Any = batch.filter(batch["impression"])
            here = slice(at, at := at + len(seen))
            query[here], time[here] = seen["query"].to_numpy(), seen["time"].to_numpy()
            rank[here] = pc.fill_null(seen["rank"], 0).to_numpy()
            site[here] = of_url[pc.fill_null(seen["url"], -1).to_numpy()]
            length += np.bincount(seen["user"].to_numpy(), minlength=len(length))
            advance(len(batch))
    return UserRows(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(length)]), query, time, rank, site, sites
    )
