"""Every user's own history beside the record that is published for her."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from crowdlog.log.store import LogStore
from crowdlog.measure.cluster_owners import clusters_of
from crowdlog.measure.log_arrays import Impressions
from crowdlog.measure.records import Records, read_records
from crowdlog.release.folder import Release
from crowdlog.types import Ints


class PublishedHistories:
    """A release of rows and the log it was made from. Nothing is read before it is asked for."""

    def __init__(self, release: Release, store: LogStore) -> None:
        self.release = release
        self.log = Impressions(store)

    def __repr__(self) -> str:
        return f"PublishedHistories({self.log.users} users)"

    @property
    def own(self) -> Any:
        """Users by queries: how often each asked each."""
        return self.log.profile

    @cached_property
    def records(self) -> Records:
        clusters = clusters_of(self.release.label.mechanisms, self.log)
        return read_records(self.release.table("events"), self.log, clusters)

    @cached_property
    def record_of(self) -> Ints:
        """The record of each user; −1 for who has none: nothing is published for her."""
        found = np.full(self.log.users, -1, np.int64)
        owned = np.flatnonzero(self.records.owner >= 0)
        found[self.records.owner[owned]] = owned
        return found

    @cached_property
    def shown(self) -> Any:
        """Users by queries: how often her record shows each. Texts that are not the log's are behind them."""
        from scipy.sparse import csr_array

        some = np.flatnonzero(self.record_of >= 0)
        shape = (self.log.users, len(self.records.owner))
        choice = csr_array((np.ones(len(some), np.int64), (some, self.record_of[some])), shape=shape)
        return (choice @ self.records.counts).tocsr()

    @property
    def known(self) -> Any:
        """The same of the log's own queries alone."""
        return self.shown[:, : self.log.queries]

    def users(self, most: int, seed: int) -> Ints:
        """Some users, the same for every release of this log; all where they are not more."""
        everybody = np.arange(self.log.users)
        if len(everybody) <= most:
            return everybody
        return np.sort(np.random.default_rng(seed).choice(everybody, most, replace=False))
