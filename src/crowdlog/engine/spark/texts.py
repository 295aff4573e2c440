"""Words, sites and other representations where the texts are: ids as on one machine, by first appearance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.parts import sites_of, words_of
from crowdlog.artifacts.representations import represent
from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.types import Ints

MADE = "source long, place int, text string"
_PLACES = 1 << 13  # more than a text of 4,096 bytes has words
_INDEX = 1 << 33  # Spark's own numbering: the partition above these bits, the row below
Batches = Iterator[pa.RecordBatch]
Made = Callable[[Any], tuple[Ints, Ints, Any]]  # of texts: the row, the place in it, and what is made of it


@dataclass(frozen=True)
class DistinctTexts:
    """`frame`: id, text; `kept`: what is persisted for it."""

    frame: Any
    kept: Any


def numbered(grouped: Any, parts: int) -> DistinctTexts:
    """`grouped`: text, first. Texts are sorted by where they first stood, so ids are places in that order."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as f

    # Sorted partitions are kept: the ids below must not change when one is read again.
    ordered = grouped.repartitionByRange(parts, "first").sortWithinPartitions("first").drop("first")
    placed = ordered.selectExpr("*", f"monotonically_increasing_id() % {_INDEX} as place").withColumn(
        "slice", f.spark_partition_id()
    )
    kept = placed.persist(StorageLevel.DISK_ONLY)
    sizes = {row["slice"]: row["count"] for row in kept.groupBy("slice").count().collect()}
    before = np.cumsum([0, *(sizes.get(number, 0) for number in range(parts))])
    begins = f.array(*(f.lit(int(each)) for each in before))
    ids = (f.element_at(begins, f.col("slice") + 1).cast("long") + f.col("place")).alias("id")
    return DistinctTexts(kept.select(ids, "*").drop("place", "slice"), kept)


@dataclass(frozen=True)
class MadeTexts:
    """Texts made of others. `texts`: id, text; `rows`: source, place, number (the id of what is there)."""

    engine: SparkEngine
    texts: DistinctTexts
    rows: Any

    def table(self, name: str, *columns: str) -> Any:
        """The rows as an Ibis table of this name and these columns, in SQL."""
        self.rows.selectExpr(*columns).createOrReplaceTempView(name)
        return self.engine.backend.table(name)

    def of(self, ids: Ints) -> Any:
        """The texts of these ids, in this order."""
        wanted = self.engine.rows_there(pa.table({"id": pa.array(np.unique(ids), pa.int64())}))
        found = self.texts.frame.join(wanted, "id").select("id", "text").toArrow().sort_by("id")
        places = np.searchsorted(found["id"].to_numpy(), ids)
        return found["text"].combine_chunks().cast(pa.string()).take(pa.array(places, pa.int64()))


def make_texts(engine: SparkEngine, sources: Any, make: Made) -> MadeTexts:
    """`sources`: a frame of id and text."""
    made = sources.mapInArrow(partial(_made, make=make), MADE)
    placed = made.selectExpr("text", f"source * {_PLACES} + place as first")
    texts = numbered(placed.groupBy("text").min("first").toDF("text", "first"), engine.parts)
    rows = made.join(texts.frame.select("text", "id"), "text").selectExpr("source", "place", "id as number")
    return MadeTexts(engine, texts, rows)


def _made(batches: Batches, make: Made) -> Batches:
    for batch in batches:
        row, place, texts = make(batch.column("text"))
        source = batch.column("id").to_numpy()[row]
        yield pa.record_batch(
            {"source": pa.array(source, pa.int64()), "place": pa.array(place, pa.int32()), "text": texts}
        )


def _words(texts: Any) -> tuple[Ints, Ints, Any]:
    found = words_of([texts])
    table = found.table()
    named = found.texts.take(table["word"].combine_chunks().cast(pa.int64()))
    return table["query"].to_numpy(), table["place"].to_numpy(), named


def _sites(texts: Any) -> tuple[Ints, Ints, Any]:
    found = sites_of([texts])
    return (
        np.arange(len(texts)),
        np.zeros(len(texts), np.int64),
        found.texts.take(pa.array(found.site, pa.int64())),
    )


def _represented(texts: Any, representation: str) -> tuple[Ints, Ints, Any]:
    written = pa.array(represent(texts.to_pylist(), representation), pa.string())
    return np.arange(len(texts)), np.zeros(len(texts), np.int64), written


def renamed_there(engine: SparkEngine, queries: Any, representation: str) -> MadeTexts:
    """Every distinct query in this representation."""
    return make_texts(engine, queries, partial(_represented, representation=representation))


@dataclass(frozen=True)
class PartsThere:
    """`crowdlog.engine.parts.Parts` on Spark. `queries`, `urls`: frames of id and text."""

    engine: SparkEngine
    queries: Any
    urls: Any

    @cached_property
    def words(self) -> MadeTexts:
        return make_texts(self.engine, self.queries, _words)

    @cached_property
    def sites(self) -> MadeTexts:
        return make_texts(self.engine, self.urls, _sites)

    @cached_property
    def word_table(self) -> Any:
        """query, place, word."""
        return self.words.table("words", "source as query", "place", "number as word")

    @cached_property
    def pair_table(self) -> Any:
        """query, place, word, next_word."""
        following = "lead(number) over (partition by source order by place) as next_word"
        pairs = self.words.table("word_pairs", "source as query", "place", "number as word", following)
        return pairs.filter(pairs.next_word.notnull())

    @cached_property
    def site_table(self) -> Any:
        """url, site."""
        return self.sites.table("sites", "source as url", "number as site")
