"""Words of the log's queries and sites of its URLs, as tables that any back end can join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ibis

from crowdlog.artifacts.parts import Sites, Words, sites_of, words_of
from crowdlog.engine.rename import Renaming
from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore

AT_ONCE = 1 << 14  # texts: they and the places of their words stay in the processor's cache


@dataclass(frozen=True)
class Parts:
    """Made when they are first asked for: queries in the representation of the renaming."""

    log: LogStore
    renaming: Renaming | None

    @cached_property
    def words(self) -> Words:
        return words_of(_texts(self.log.queries()) if self.renaming is None else [self.renaming.texts])

    @cached_property
    def sites(self) -> Sites:
        return sites_of(_texts(self.log.urls()))

    @cached_property
    def word_table(self) -> Any:
        """query, place, word."""
        return ibis.memtable(self.words.table())

    @cached_property
    def pair_table(self) -> Any:
        """query, place, word, next_word."""
        return ibis.memtable(self.words.pairs())

    @cached_property
    def site_table(self) -> Any:
        """url, site."""
        return ibis.memtable(self.sites.table())


def _texts(path: Path) -> Iterator[Any]:
    for batch in batches(path, ["text"], AT_ONCE):
        yield batch.column("text")
