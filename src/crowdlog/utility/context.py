"""What a measure is given: the log as truth, a split of it, and how to measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from crowdlog.utility.events import Events, read_events
from crowdlog.utility.splits import By, held_out_rows
from crowdlog.utility.tables import WINDOW, Counted, Tables, pairs_of, tables_of
from crowdlog.utility.vocabulary import Vocabulary

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

FEWEST_CLICKS = 10  # Korolova et al. 2009, §7.2.2
SESSION_MINUTES = 26  # Feild 2013; Zhang 2017 uses 30


@dataclass(frozen=True)
class Settings:
    """How to measure. `sample`: at most so many topics per task (0: all). `fold` None: every fold in turn."""

    folds: int = 5
    fold: int | None = 0
    by: By = "user"
    sample: int = 10_000
    seed: int = 0
    session_minutes: int = SESSION_MINUTES
    prefixes: Sequence[str] = ()
    concepts: Mapping[str, Sequence[str]] | None = None
    fewest_clicks: int = FEWEST_CLICKS  # keywords: rarer edges are left out of both graphs
    site_classes: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Part:
    """One split: the tables of the original log to compete with, and the events to be tested on."""

    original: Tables
    test: Events
    sizes: tuple[int, int]  # queries, urls


class Truth:
    """The log a release was made from. `counts_users`: the release counts people, not impressions."""

    def __init__(
        self, store: LogStore, settings: Settings, *, counts_users: bool = False, pair_kind: str = "pair", test: LogStore | None = None
    ) -> None:
        self.vocabulary = Vocabulary(pq.read_table(store.queries())["text"], pq.read_table(store.urls())["text"])
        self.events = read_events(store.events(), settings.session_minutes)
        self.counts_users = counts_users
        self._pair_kind = pair_kind
        self._settings = settings
        self._test = None if test is None else self._read_test(test)

    def __repr__(self) -> str:
        return f"Truth({self.events!r})"

    @property
    def sizes(self) -> tuple[int, int]:
        """How many queries and URLs are numbered: the shape of every click matrix."""
        return len(self.vocabulary.queries), len(self.vocabulary.urls)

    @cached_property
    def tables(self) -> Tables:
        """The whole log's tables, with users counted."""
        return tables_of(self.events, users=self.counts_users)

    def table(self, name: str) -> Counted:
        """A table of the whole log; pairs as the release counts them."""
        if name == "pairs" and self._pair_kind != "pair":
            return self._pairs
        if name == "sequences":
            return self._sequences
        table: Counted = getattr(self.tables, name)
        return table

    @cached_property
    def _pairs(self) -> Counted:
        # Pairs of a session are cut at the same window here: longer sessions are rare, and quadratic.
        reach = 1 if self._pair_kind == "undirected-pair" else WINDOW - 1
        return pairs_of(self.events, reach=reach, users=self.counts_users, sorted_pair=self._pair_kind.startswith("undirected"))

    @cached_property
    def _sequences(self) -> Counted:
        return pairs_of(self.events, reach=WINDOW - 1, users=self.counts_users)

    def parts(self) -> list[int | None]:
        """The folds to test on; None stands for the held-out log."""
        if self._test is not None:
            return [None]
        return [self._settings.fold] if self._settings.fold is not None else list(range(self._settings.folds))

    def part(self, fold: int | None) -> Part:
        """A split. The original competes with what is not tested on."""
        if fold is None and self._test is not None:
            return Part(self.tables, self._test, self.sizes)
        rows = held_out_rows(self.events, folds=self._settings.folds, fold=fold or 0, by=self._settings.by, seed=self._settings.seed)
        return Part(tables_of(self.events.part(~rows)), self.events.part(rows), self.sizes)

    def _read_test(self, test: LogStore) -> Events:
        queries = self.vocabulary.queries.ids(pq.read_table(test.queries())["text"])
        urls = self.vocabulary.urls.ids(pq.read_table(test.urls())["text"])
        return read_events(test.events(), self._settings.session_minutes).renamed(queries, urls)
