"""What a measure is given: the log as truth, a split of it, and how to measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from crowdlog.artifacts.kinds import WINDOW
from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.log.store import LogStore
from crowdlog.measure.log_arrays import LogArrays, read_log
from crowdlog.measure.tables import KeyCounts, Tables, pairs_of, tables_of
from crowdlog.measure.vocabulary import TextIds, Vocabulary
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.types import Ints
from crowdlog.utility.published import ORIGINAL, Published
from crowdlog.utility.splits import By, held_out_rows

FEWEST_CLICKS = 10  # Korolova et al. 2009, §7.2.2


@dataclass(frozen=True)
class MeasureSettings:
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
    tree: str = WORDNET  # of categories: 'wordnet' or a file


@dataclass(frozen=True)
class Fold:
    """One split of the log: the tables of the original log to compete with, and the events to test on."""

    original: Tables
    test: LogArrays
    sizes: tuple[int, int]  # queries, urls
    urls: TextIds | None = None  # their texts


class Truth:
    """The log a release was made from, its queries written and counted as the release does."""

    def __init__(
        self,
        store: LogStore,
        settings: MeasureSettings,
        published: Published | None = None,
        test: LogStore | None = None,
    ) -> None:
        self._published, self._settings = published or Published(), settings
        # how queries are written, here and in the release
        self.representation = self._published.representation
        texts, ids = self._queries(store)
        self.vocabulary = Vocabulary(texts, pq.read_table(store.urls())["text"])
        self.events = read_log(store, settings.session_minutes).renamed(ids)
        self.counts_users = self._published.counts_users
        self.counts_told = self._published.counts_told
        self._test = None if test is None else self._read_test(test)

    def __repr__(self) -> str:
        return f"Truth({self.events!r})"

    @property
    def sizes(self) -> tuple[int, int]:
        """How many queries and URLs are numbered: the shape of every click matrix."""
        return len(self.vocabulary.queries), len(self.vocabulary.urls)

    def apart(self) -> Truth:
        """The same log with a numbering of its own, so that texts only one release has do not change the
        numbers of another's.
        """
        twin = copy(self)
        twin.vocabulary = self.vocabulary.copy()
        return twin

    @cached_property
    def tables(self) -> Tables:
        """The whole log's tables, with users counted."""
        return tables_of(self.events, users=self.counts_users)

    def table(self, name: str) -> KeyCounts:
        """A table of the whole log; pairs as the release counts them."""
        if name == "pairs" and self._published.pair_kind != "pair":
            return self._pairs
        if name == "sequences":
            return self._sequences
        table: KeyCounts = getattr(self.tables, name)
        return table

    @cached_property
    def _pairs(self) -> KeyCounts:
        # Pairs of a session are cut at the same window here: longer sessions are rare, and quadratic.
        kind = self._published.pair_kind
        reach = 1 if kind == "undirected-pair" else WINDOW - 1
        return pairs_of(
            self.events, reach=reach, users=self.counts_users, sorted_pair=kind.startswith("undirected")
        )

    @cached_property
    def _sequences(self) -> KeyCounts:
        return pairs_of(self.events, reach=WINDOW - 1, users=self.counts_users)

    def folds(self) -> list[int | None]:
        """The folds to test on; None stands for the held-out log."""
        if self._test is not None:
            return [None]
        return [self._settings.fold] if self._settings.fold is not None else list(range(self._settings.folds))

    def fold(self, number: int | None) -> Fold:
        """A split. The original competes with what is not tested on."""
        if number is None and self._test is not None:
            return Fold(self.tables, self._test, self.sizes, self.vocabulary.urls)
        settings = self._settings
        rows = held_out_rows(
            self.events, folds=settings.folds, fold=number or 0, by=settings.by, seed=settings.seed
        )
        rest, test = self.events.where(~rows), self.events.where(rows)
        return Fold(tables_of(rest), test, self.sizes, self.vocabulary.urls)

    def _read_test(self, test: LogStore) -> LogArrays:
        texts, ids = self._queries(test)
        queries = self.vocabulary.queries.ids(texts)
        urls = self.vocabulary.urls.ids(pq.read_table(test.urls())["text"])
        rows = read_log(test, self._settings.session_minutes)
        return rows.renamed(queries if ids is None else queries[ids], urls)

    def _queries(self, store: LogStore) -> tuple[Any, Ints | None]:
        """The texts as the release writes them, and for each query of the store the place of its text; None
        for the same place.
        """
        if self.representation == ORIGINAL:
            return pq.read_table(store.queries())["text"], None
        from crowdlog.engine.rename import rename

        renaming = rename(store, self.representation)
        ids = np.zeros(renaming.ids.num_rows, np.int64)
        ids[renaming.ids["query"].to_numpy()] = renaming.ids["new"].to_numpy()
        return renaming.texts, ids
