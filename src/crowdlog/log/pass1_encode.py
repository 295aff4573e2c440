"""The first pass of an import: parse, normalise and encode each batch, and spill its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch
from crowdlog.log.encode import Dictionary
from crowdlog.log.normalise_batch import normalise_queries
from crowdlog.log.parse import check_texts, read_ranks, read_times
from crowdlog.log.rejects import Rejects
from crowdlog.log.spill import Spill
from crowdlog.types import Ints

# Bytes that an import needs besides its dictionaries: the program and its libraries, a block, a part of the
# events (measured: 0.4 GB).
_WORKING = 400_000_000


class Intake:
    """Takes batches; holds the dictionaries, the spilled events and what is known about their order."""

    def __init__(self, folder: Path, *, strict: bool, memory: int | None, keep_dash: bool) -> None:
        self.users, self.queries, self.urls = Dictionary(), Dictionary(), Dictionary()
        self.events = Spill(folder)
        self.rejects = Rejects(folder / "rejects.tsv", strict=strict)
        self.rows_of_user: Ints = np.zeros(1 << 12, np.int64)
        self.grouped = True  # each user's rows stand together, users in the order of their ids
        self._last_user = 0
        self._memory = memory
        self._keep_dash = keep_dash

    def read(self, batches: Iterator[Batch], name: str) -> None:
        """Take all rows of the file of this name."""
        for batch in batches:
            self._take(batch, name)
            self._check_memory()

    def close(self) -> None:
        self.events.close()
        self.rejects.close()

    def _take(self, batch: Batch, name: str) -> None:
        reason = batch.reason.copy()
        users, queries, times, ranks, urls = batch.columns
        time, rank = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
        read_times(times.data, times.start, times.size, time, reason)
        check_texts(users.data, users.start, users.size, True, reason)
        queries = normalise_queries(queries, reason, keep_dash=self._keep_dash)
        read_ranks(ranks.data, ranks.start, ranks.size, rank, reason)
        check_texts(urls.data, urls.start, urls.size, False, reason)
        if reason.any():
            self.rejects.take(batch, reason, name)
            good = np.flatnonzero(reason == 0)
            users, queries, urls, time, rank = (
                users.take(good),
                queries.take(good),
                urls.take(good),
                time[good],
                rank[good],
            )
        if len(time):
            user = self.users.encode(users)
            self._note_order(user)
            self.events.append(
                {
                    "user": user,
                    "time": time,
                    "query": self.queries.encode(queries),
                    "rank": rank,
                    "url": self.urls.encode(urls),
                }
            )

    def _note_order(self, user: Ints) -> None:
        if len(self.users) > len(self.rows_of_user):
            self.rows_of_user.resize(2 * len(self.users), refcheck=False)
        low = int(user.min())
        counts = np.bincount(user - low)
        self.rows_of_user[low : low + len(counts)] += counts
        self.grouped = self.grouped and user[0] >= self._last_user and not bool((user[1:] < user[:-1]).any())
        self._last_user = int(user[-1])

    def _check_memory(self) -> None:
        held = (
            self.users.memory + self.queries.memory + self.urls.memory + self.rows_of_user.nbytes + _WORKING
        )
        if self._memory is not None and held > self._memory:
            raise InputError(
                f"The log's distinct users, queries and urls need more than the {self._memory / 1e9:.1f} GB "
                "given by --memory. "
                "Give more, or import fewer files."
            )
