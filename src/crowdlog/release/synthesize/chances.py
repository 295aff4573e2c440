"""The tables of a release as chances to draw from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from crowdlog.errors import InputError
from crowdlog.release.folder import Release
from crowdlog.types import Floats, Ints

pc: Any = _pc  # its stubs know fewer types than it takes
# Words per query of AOL's distinct queries, 1 to 5 and more (Pass et al. 2006): the mean of a query's words.
WORDS_PER_QUERY = 2.8


@dataclass(frozen=True)
class Weights:
    """Items by weight."""

    rising: Floats  # cumulated weights, the last is the sum

    @property
    def total(self) -> float:
        return float(self.rising[-1]) if len(self.rising) else 0.0

    def draw(self, random: np.random.Generator, n: int) -> Ints:
        """Items, each by its weight."""
        return np.searchsorted(self.rising, random.random(n) * self.total, side="right").astype(np.int64)


@dataclass(frozen=True)
class ChanceLists:
    """For each of some items a list of others by weight: rows of one table, grouped by their first column."""

    offset: Ints  # where the list of each item begins
    target: Ints
    rising: Floats  # cumulated over all lists

    def has(self, item: Ints) -> Any:
        """Which items have a list."""
        return self.offset[item + 1] > self.offset[item]

    def draw(self, random: np.random.Generator, item: Ints) -> tuple[Ints, Ints]:
        """For each item (which has a list) one of its list by weight, and its place there, from 0 on."""
        whole = np.append(0.0, self.rising)
        low, high = whole[self.offset[item]], whole[self.offset[item + 1]]
        row = np.searchsorted(self.rising, low + random.random(len(item)) * (high - low), side="right")
        row = np.clip(row, self.offset[item], self.offset[item + 1] - 1)
        return self.target[row], row - self.offset[item]


def _weights(counts: Any) -> Floats:
    """Noise may make a count negative: such a row is drawn never."""
    numbers: Floats = counts.to_numpy(zero_copy_only=False).astype(np.float64)
    return np.maximum(numbers, 0.0)


def _ids(texts: Any, among: pa.StringArray) -> Ints:
    found = pc.index_in(texts, value_set=among).fill_null(-1)
    ids: Ints = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return ids


def _lists(
    table: Any, first: str, second: str, items: pa.StringArray, targets: pa.StringArray
) -> ChanceLists:
    """Rows of a table by the item of their first column, the heaviest first."""
    if table is None:
        return ChanceLists(np.zeros(len(items) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))
    item, target, weight = _ids(table[first], items), _ids(table[second], targets), _weights(table["count"])
    keep = (item >= 0) & (target >= 0) & (weight > 0)
    item, target, weight = item[keep], target[keep], weight[keep]
    order = np.lexsort((target, -weight, item))
    offset = np.searchsorted(item[order], np.arange(len(items) + 1))
    return ChanceLists(offset.astype(np.int64), target[order], np.cumsum(weight[order]))


@dataclass(frozen=True)
class Chances:
    """Everything a release says about searches. Texts that a release lacks are empty lists."""

    queries: pa.StringArray
    query: Weights
    follows: ChanceLists  # query after query
    urls: pa.StringArray
    clicked: ChanceLists  # url after query
    words: pa.StringArray
    word: Weights
    next_word: ChanceLists
    word_url: ChanceLists
    any_url: Weights
    covered: float  # share of searches that are released queries


def _texts(release: Release, columns: list[tuple[str, str]]) -> pa.StringArray:
    """The texts of some columns, each once, in the order of the tables."""
    found: list[Any] = [pa.array([], pa.string())]
    for name, column in columns:
        table = release.table(name)
        if table is not None:
            found.append(table[column].combine_chunks().cast(pa.string()))
    texts: pa.StringArray = pa.concat_arrays(found).unique()
    return texts


def _counted(table: Any, column: str, items: pa.StringArray) -> Weights:
    counts = np.zeros(len(items))
    if table is not None:
        np.add.at(counts, _ids(table[column], items), _weights(table["count"]))
    return Weights(np.cumsum(counts))


def _urls(release: Release) -> tuple[pa.StringArray, Any, Any, Any]:
    """Addresses, and the tables of clicks with them: a site is written as the address of its first page."""
    tables = {name: release.table(name) for name in ("clicks", "query_sites", "word_sites", "sites")}
    for name in ("query_sites", "word_sites", "sites"):
        table = tables[name]
        if table is not None:
            url = pc.binary_join_element_wise("http://www.", table["site"].cast(pa.string()), "")
            tables[name] = table.append_column("url", url)
    shown = [table["url"].combine_chunks() for table in tables.values() if table is not None]
    urls: Any = pa.concat_arrays(
        [pa.array([], pa.string()), *(text.cast(pa.string()) for text in shown)]
    ).unique()
    clicks = tables["clicks"]
    if clicks is None or not clicks.num_rows:
        clicks = tables["query_sites"]
    return urls, clicks, tables["word_sites"], tables["sites"]


def read_chances(release: Release) -> Chances:
    """Read the tables of a release. One that shows neither queries nor words cannot be sampled."""
    if release.table("events") is not None:
        raise InputError(
            f"{release.path} holds rows of a log, not tables of counts: there is nothing to sample."
        )
    shown = [("queries", "query"), ("pairs", "query"), ("pairs", "next_query")]
    shown += [("clicks", "query"), ("query_sites", "query")]
    queries = _texts(release, shown)
    words = _texts(release, [("words", "word"), ("word_pairs", "word"), ("word_pairs", "next_word")])
    query = _counted(release.table("queries"), "query", queries)
    word = _counted(release.table("words"), "word", words)
    if not query.total and not word.total:
        raise InputError(
            f"{release.path} shows neither queries nor words, so no search can be drawn from it."
        )
    urls, clicks, word_urls, sites = _urls(release)
    searches = max(word.total / WORDS_PER_QUERY, query.total)
    return Chances(
        queries=queries,
        query=query,
        follows=_lists(release.table("pairs"), "query", "next_query", queries, queries),
        urls=urls,
        clicked=_lists(clicks, "query", "url", queries, urls),
        words=words,
        word=word,
        next_word=_lists(release.table("word_pairs"), "word", "next_word", words, words),
        word_url=_lists(word_urls, "word", "url", words, urls),
        any_url=_counted(sites, "url", urls),
        covered=query.total / searches,
    )
