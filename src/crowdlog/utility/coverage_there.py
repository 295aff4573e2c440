"""Coverage where the log is: tasks count, the driver gets the published keys that the log has, and for each
number how many keys have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.measure.released import read_tables
from crowdlog.measure.tables import KeyCounts
from crowdlog.measure.vocabulary import compute
from crowdlog.release.folder import Release
from crowdlog.release.publish import note_looks
from crowdlog.release.same_source import check_source
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.coverage import TableFacts, scores_of, words_of
from crowdlog.utility.published import ORIGINAL, Published
from crowdlog.utility.score import Score

if TYPE_CHECKING:
    from crowdlog.engine.spark.connection import SparkEngine

_KINDS = ("pair", "undirected-pair")  # that the log's own tables hold exactly
_ALONE = "On Spark, coverage is measured of queries, clicks and next queries as they are. Leave out --engine."


class _PublishedTexts:
    """The numbers of published texts: the log's own ids, or numbers above them."""

    def __init__(self, texts: Any, ids: Any, size: int) -> None:
        self._texts = texts
        self._ids = np.where(ids >= 0, ids, size + np.arange(len(ids)))

    def ids(self, column: Any) -> Any:
        return self._ids[compute.index_in(column, value_set=self._texts).to_numpy()]


class _Vocabulary:
    """The queries and urls that a release shows."""

    def __init__(self, tables: dict[str, Any], engine: SparkEngine) -> None:
        from crowdlog.engine.spark.real_counts import ids_of

        log = engine.log
        named = {
            "query": (log.there("queries.parquet"), log.info.queries),
            "url": (log.there("urls.parquet"), log.info.urls),
        }
        found = {}
        for name, (path, size) in named.items():
            columns = (name, "next_query") if name == "query" else (name,)
            texts = _distinct(
                [table[each] for table in tables.values() for each in columns if each in table.column_names]
            )
            found[name] = _PublishedTexts(texts, ids_of(engine, path, texts), size)
        self.queries, self.urls = found["query"], found["url"]


def _distinct(columns: Sequence[Any]) -> Any:
    import pyarrow as pa

    parts = [pa.array([], pa.string()), *(column.combine_chunks().cast(pa.string()) for column in columns)]
    return pa.concat_arrays(parts).unique()


def coverage_there(
    release: Release, truth: LogStore, engine: SparkEngine, settings: MeasureSettings, *, other_log: bool
) -> list[Score]:
    """The same scores as `coverage.measure`; the ledger notes the look."""
    if not other_log:
        check_source(release.label, truth.info.id)
    note_looks([truth], "score")
    published = Published.of(release.label)
    names = ("queries", "clicks", "pairs")
    tables = {name: table for name in names if (table := release.table(name)) is not None}
    alone = release.table("sessions") is not None or release.table("events") is not None
    if alone or published.representation != ORIGINAL or published.pair_kind not in _KINDS or not tables:
        raise InputError(_ALONE)
    vocabulary: Any = _Vocabulary(tables, engine)
    released = read_tables(tables, vocabulary, settings.session_minutes)
    kinds = {"queries": "query", "clicks": "click", "pairs": published.pair_kind}
    found = []
    for name in tables:
        mine: KeyCounts = getattr(released, name)
        artifact = Artifact(kinds[name], session_minutes=settings.session_minutes)
        facts = _facts(engine, artifact, mine, counts_users=published.counts_users)
        found += scores_of(name, mine, facts, told=published.counts_told)
    return found


def _facts(
    engine: SparkEngine, artifact: Artifact, published: KeyCounts, *, counts_users: bool
) -> TableFacts:
    from crowdlog.engine.spark.real_counts import counts_beside, words_of_queries

    real = counts_beside(engine, artifact, published.key)
    found = real.found
    kept = KeyCounts(found.key, found.impressions.astype(np.float64))
    words = None
    if artifact.kind == "query":
        shown = compute.count_substring(engine.log.query_texts(found.key), " ").to_numpy() + 1
        words = words_of_queries(engine), words_of(shown)
    true = (found.users if counts_users else found.impressions).astype(np.float64)
    compared = real.by_users if counts_users else real.by_impressions
    return TableFacts(kept, true, real.by_impressions, compared, words)
