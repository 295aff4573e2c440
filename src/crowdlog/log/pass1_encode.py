"""The first pass of an import: parse, normalise and encode each batch, and spill its numbers.

Three stages work at once: the caller's thread cuts the file into batches, a pool parses and normalises them,
and one thread gives ids in the order of reading (with another beside it for the queries).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch, Texts
from crowdlog.log.encode import Dictionary
from crowdlog.log.in_order import cores
from crowdlog.log.normalise_batch import normalise_queries
from crowdlog.log.parse import check_texts, read_ranks, read_times
from crowdlog.log.rejects import Rejects
from crowdlog.log.spill import Spill
from crowdlog.types import Bytes, Ints

# Bytes that an import needs besides its dictionaries: the program and its libraries, and for each thread
# batches and parts of the events (measured: 0.55 GB with two threads; the share of one is reckoned).
_WORKING = 430_000_000
_WORKING_OF_THREAD = 60_000_000


@dataclass(frozen=True, repr=False)
class Parsed:
    """The good rows of a batch. `reason`: of all its rows, 0 for the good ones."""

    batch: Batch
    reason: Bytes
    users: Texts
    queries: Texts
    urls: Texts
    time: Ints
    rank: Ints


def parse_batch(batch: Batch, *, keep_dash: bool) -> Parsed:
    """Times and ranks as numbers, texts checked and normalised: nothing that depends on other batches."""
    reason = batch.reason.copy()
    users, queries, times, ranks, urls = batch.columns
    time, rank = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
    read_times(times.data, times.start, times.size, time, reason)
    check_texts(users.data, users.start, users.size, True, reason)
    queries = normalise_queries(queries, reason, keep_dash=keep_dash)
    read_ranks(ranks.data, ranks.start, ranks.size, rank, reason)
    check_texts(urls.data, urls.start, urls.size, False, reason)
    if reason.any():
        good = np.flatnonzero(reason == 0)
        users, queries, urls = users.take(good), queries.take(good), urls.take(good)
        time, rank = time[good], rank[good]
    return Parsed(batch, reason, users, queries, urls, time, rank)


class Intake:
    """Takes batches; holds the dictionaries, the spilled events and what is known about their order."""

    def __init__(
        self, folder: Path, *, strict: bool, memory: int | None, keep_dash: bool, threads: int | None = None
    ) -> None:
        self.users, self.queries, self.urls = Dictionary(), Dictionary(), Dictionary()
        self.events = Spill(folder)
        self.rejects = Rejects(folder / "rejects.tsv", strict=strict)
        self.rows_of_user: Ints = np.zeros(1 << 12, np.int64)
        self.grouped = True  # each user's rows stand together, users in the order of their ids
        self.threads = threads or cores()
        self._last_user = 0
        self._memory = memory
        self._keep_dash = keep_dash
        self.pool = ThreadPoolExecutor(self.threads, "import")
        self._encoder = ThreadPoolExecutor(1, "encode")
        self._beside = ThreadPoolExecutor(1, "encode-queries")

    def read(self, batches: Iterator[Batch], name: str) -> None:
        """Take all rows of the file of this name. Of several errors the one nearest its beginning is told."""
        waiting: deque[Future[None]] = deque()
        try:
            for batch in batches:
                parsed = self.pool.submit(parse_batch, batch, keep_dash=self._keep_dash)
                waiting.append(self._encoder.submit(self._take, parsed, name))
                if len(waiting) > self.threads:
                    waiting.popleft().result()
        finally:
            while waiting:
                waiting.popleft().result()

    def close(self) -> None:
        for pool in (self.pool, self._encoder, self._beside):
            pool.shutdown(cancel_futures=True)
        self.events.close()
        self.rejects.close()

    def _take(self, parsing: Future[Parsed], name: str) -> None:
        """In the order of reading: ids depend on it."""
        parsed = parsing.result()
        if parsed.reason.any():
            self.rejects.take(parsed.batch, parsed.reason, name)
        if len(parsed.time):
            query = self._beside.submit(self.queries.encode, parsed.queries)
            user, url = self.users.encode(parsed.users), self.urls.encode(parsed.urls)
            self._note_order(user)
            self.events.append(
                {"user": user, "time": parsed.time, "query": query.result(), "rank": parsed.rank, "url": url}
            )
        self._check_memory()

    def _note_order(self, user: Ints) -> None:
        if len(self.users) > len(self.rows_of_user):
            self.rows_of_user.resize(2 * len(self.users), refcheck=False)
        low = int(user.min())
        counts = np.bincount(user - low)
        self.rows_of_user[low : low + len(counts)] += counts
        self.grouped = self.grouped and user[0] >= self._last_user and not bool((user[1:] < user[:-1]).any())
        self._last_user = int(user[-1])

    def _check_memory(self) -> None:
        dictionaries = self.users.memory + self.queries.memory + self.urls.memory
        working = _WORKING + self.threads * _WORKING_OF_THREAD
        held = dictionaries + self.rows_of_user.nbytes + working
        if self._memory is not None and held > self._memory:
            raise InputError(
                f"The log's distinct users, queries and urls need more than the {self._memory / 1e9:.1f} GB "
                "given by --memory. "
                "Give more, or import fewer files."
            )
