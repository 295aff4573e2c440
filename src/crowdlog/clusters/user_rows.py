"""The impressions of every user as arrays, and the sites they led to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.shown_texts import people_per_key
from crowdlog.log.store import LogStore
from crowdlog.types import Ints


def labels_of(url: str) -> tuple[str, ...]:
    """The labels of a URL's host from the right, without 'www': ('com', 'example')."""
    address = url if "//" in url else f"//{url}"
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        host = ""
    labels = [label for label in host.lower().split(".") if label]
    return tuple(reversed(labels[1:] if labels[:1] == ["www"] and len(labels) > 2 else labels))


@dataclass(frozen=True, repr=False)
class HostTree:
    """Hosts and everything they end in, as a tree: `example.com` is above `shop.example.com`.

    A site is known by its place in `labels` and has a smaller number than those below it; `above` is −1 for
    the last label alone.
    """

    labels: list[tuple[str, ...]]
    above: NDArray[np.int32]
    of_url: NDArray[np.int32]  # −1 for what has no host

    def names(self) -> list[str]:
        """How each site is written."""
        return [".".join(reversed(labels)) for labels in self.labels]

    def common(self, one: int, other: int) -> int:
        """The longest ending that two sites share; −1 if there is none."""
        while one != other and one >= 0 and other >= 0:
            if len(self.labels[one]) >= len(self.labels[other]):
                one = int(self.above[one])
            else:
                other = int(self.above[other])
        return one if one == other else -1


def read_sites(log: LogStore) -> HostTree:
    """The sites of all URLs of a log."""
    urls: Any = pq.read_table(log.urls(), columns=["text"])["text"].to_pylist()
    return sites_of(urls)


def sites_of(urls: Iterable[str]) -> HostTree:
    """The sites of some URLs, in their order."""
    hosts = [labels_of(url) for url in urls]
    all_labels = {labels[:length] for labels in set(hosts) for length in range(1, len(labels) + 1)}
    ordered = sorted(all_labels, key=lambda labels: (len(labels), labels))
    number = {labels: i for i, labels in enumerate(ordered)}
    above = np.array([number.get(labels[:-1], -1) for labels in ordered], np.int32)
    return HostTree(ordered, above, np.array([number.get(labels, -1) for labels in hosts], np.int32))


@dataclass(frozen=True, repr=False)
class UserRows:
    """User u has the rows `start[u]:start[u + 1]` of every column, in the order of time."""

    start: Ints
    user: Ints
    query: Ints
    time: Ints
    rank: Ints  # 0 without a click
    site: Ints  # −1 without a click
    sites: HostTree

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.start)

    @cached_property
    def people_of_site(self) -> Ints:
        """How many users clicked a page of each site, or of a site below it."""
        keys, owners = [], []
        site = self.site
        while (site >= 0).any():
            there = site >= 0
            keys.append(site[there])
            owners.append(self.user[there])
            site = np.where(there, self.sites.above[site], -1)
        if not keys:
            return np.zeros(len(self.sites.labels), np.int64)
        return people_per_key(np.concatenate(owners), np.concatenate(keys), len(self.sites.labels))


def read_user_rows(log: LogStore) -> UserRows:
    """The impressions of a log; the first click of each is its rank and site."""
    columns = ["user", "query", "time", "rank", "url", "impression"]
    table: Any = pq.read_table(log.events(), columns=columns)
    seen = table.filter(table["impression"])
    sites = read_sites(log)
    user = seen["user"].to_numpy().astype(np.int64)
    url = seen["url"].fill_null(-1).to_numpy()
    site = np.append(sites.of_url, np.int32(-1))[url]
    return UserRows(
        np.searchsorted(user, np.arange(log.info.users + 1)),
        user,
        seen["query"].to_numpy().astype(np.int64),
        seen["time"].to_numpy().astype(np.int64),
        seen["rank"].fill_null(0).to_numpy().astype(np.int64),
        site.astype(np.int64),
        sites,
    )
