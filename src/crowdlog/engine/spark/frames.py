"""Counts that need texts: words, sites, other representations, and public lists. Data frames join them to the
rows, where the texts are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.packed_keys import SHIFT
from crowdlog.artifacts.public_lists import read_pool, read_surfaced
from crowdlog.engine.count import counts_per_key
from crowdlog.engine.log_source import NOWHERE, LogSource, bounded_by
from crowdlog.engine.mine import mine
from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.engine.spark.texts import MadeTexts, PartsThere, renamed_there
from crowdlog.plan.candidates import Pool, PublicResults
from crowdlog.plan.selections import WeightedRounds
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.types import Ints


@dataclass(frozen=True)
class FramedSource(LogSource):
    """The log as data frames of user, key and more."""

    engine: SparkEngine
    written: str = "original"  # the representation

    @property
    def representation(self) -> str:
        return self.written

    @cached_property
    def _renamed(self) -> MadeTexts | None:
        if self.written == "original":
            return None
        return renamed_there(self.engine, self.engine.texts_there("queries.parquet"), self.written)

    @property
    def _queries_there(self) -> Any:
        """id, text of the queries, in the representation."""
        if self._renamed is None:
            return self.engine.texts_there("queries.parquet")
        return self._renamed.texts.frame.select("id", "text")

    @cached_property
    def _parts_there(self) -> PartsThere:
        return PartsThere(self.engine, self._queries_there, self.engine.texts_there("urls.parquet"))

    def artifacts(self, artifact: Artifact) -> Any:
        renamed = None
        if self._renamed is not None:
            renamed = self._renamed.table("renamed", "source as query", "number as new")
        return mine(self.engine.events, artifact, renamed, self._parts_there)

    def query_texts(self, ids: Ints, pool: Pool | None = None) -> Any:
        outside = pool is not None and len(ids) > 0 and int(ids.min()) < 0
        return super().query_texts(ids, pool) if self._renamed is None or outside else self._renamed.of(ids)

    def _named(self, column: str, ids: Ints) -> Any:
        if column in ("word", "next_word"):
            return self._parts_there.words.of(ids)
        return self._parts_there.sites.of(ids) if column == "site" else super()._named(column, ids)

    # --- chosen by counts ---

    def _counted(
        self, plan: TablePlan, artifact: Artifact, randomness: KeyedRandomness
    ) -> tuple[Any, list[str]]:
        """key, impressions, users and the owners of each candidate."""
        counts = self.engine.frame(counts_per_key(bounded_by(plan, self.artifacts(artifact), randomness)))
        if isinstance(plan.candidates, Pool):
            return self._of_pool_there(plan.candidates, counts), []
        if isinstance(plan.candidates, PublicResults):
            return self._of_results_there(plan.candidates, counts), ["owner"]
        halves = _owners(artifact)
        owners = [f"owner_{number}" for number in range(len(halves))]
        named = [f"{half} as {owner}" for half, owner in zip(halves, owners, strict=True)]
        return counts.selectExpr("*", *named), owners

    def _of_pool_there(self, pool: Pool, counts: Any) -> Any:
        """Every text of the pool, asked or not; then, where others may appear, what was asked beside it."""
        places = self._places_there(pool.file)
        inside = places.join(counts, "key", "left").selectExpr(
            "key", "coalesce(impressions, 0) as impressions", "coalesce(users, 0) as users"
        )
        return inside.unionByName(counts.join(places, "key", "left_anti")) if pool.others else inside

    def _places_there(self, file: str) -> Any:
        """key: the query id of each text of a public list, or −1 minus its place."""
        texts = self._texts_there(read_pool(file, self.representation))
        known = self._ids_of(self._queries_there, texts)
        return texts.join(known, "text", "left").selectExpr("coalesce(id, -1 - place) as key", "place")

    def _of_results_there(self, results: PublicResults, counts: Any) -> Any:
        public = read_surfaced(results.file, self.representation)
        rows = self.engine.rows_there(
            public.append_column("row", pa.array(range(public.num_rows), pa.int64()))
        )
        queries = self._ids_of(self._queries_there, rows.selectExpr("query as text").distinct())
        urls = self._ids_of(
            self.engine.texts_there("urls.parquet"), rows.selectExpr("url as text").distinct()
        )
        found = rows.join(queries.selectExpr("text as query", "id as query_id"), "query", "left")
        found = found.join(urls.selectExpr("text as url", "id as url_id"), "url", "left")
        owner = "query_id"
        if results.pool is not None:
            pool = self._texts_there(read_pool(results.pool, self.representation))
            found = found.join(pool.withColumnRenamed("text", "query"), "query", "left")
            owner = "query_id, -1 - place"
        found = found.selectExpr(
            "row", f"coalesce({owner}, {NOWHERE}) as owner", f"query_id * {SHIFT} + url_id as key"
        )
        return found.join(counts, "key", "left").selectExpr(
            "row as key", "coalesce(impressions, 0) as impressions", "coalesce(users, 0) as users", "owner"
        )

    def _texts_there(self, texts: Any) -> Any:
        return self.engine.rows_there(
            pa.table({"place": pa.array(range(len(texts)), pa.int64()), "text": texts})
        )

    def _ids_of(self, known: Any, texts: Any) -> Any:
        """text, id of those public texts that the log has. The public texts go to the log's, which are not
        moved: no text of the log is written anywhere.
        """
        from pyspark.sql.functions import broadcast

        return broadcast(known.join(broadcast(texts.select("text")), "text"))

    def _rows(self, artifact: Artifact, shown: Ints | None) -> Any:
        """user and key of every artifact whose queries are all among `shown`."""
        rows = self.engine.frame(self.artifacts(artifact).select("user", "key"))
        if shown is None:
            return rows
        for half in _owners(artifact):
            wanted = self._keys_there(shown).withColumnRenamed("key", "owner")
            rows = rows.selectExpr("user", "key", f"{half} as owner").join(wanted, "owner").drop("owner")
        return rows

    def _keys_there(self, keys: Ints) -> Any:
        from pyspark.sql.functions import broadcast

        return broadcast(self.engine.rows_there(pa.table({"key": pa.array(keys, pa.int64())})))

    def _own_sizes(self, plans: Sequence[TablePlan]) -> Any:
        """user, size: in no table of the release has she more different keys."""
        each = [
            self._rows(plan.artifact, None).groupBy("user").count()
            for plan in plans
            if is_sized(plan) and isinstance(plan.artifact, Artifact)
        ]
        if not each:
            return None
        whole = each[0]
        for one in each[1:]:
            whole = whole.unionByName(one)
        return whole.groupBy("user").max("count").withColumnRenamed("max(count)", "size").persist()

    def _with_sizes(self, plan: TablePlan, rows: Any, sizes: Any) -> Any:
        if plan.favours is not None:
            listed = (
                self._places_there(plan.favours.file).where("key >= 0").selectExpr("key", "true as inside")
            )
            rows = rows.join(listed, "key", "left").fillna({"inside": False})
        return rows if sizes is None else rows.join(sizes, "user")


def is_sized(plan: TablePlan) -> bool:
    return isinstance(plan.selection, WeightedRounds) and plan.selection.own is not None


def _owners(artifact: Artifact) -> tuple[str, ...]:
    """The queries that a key is about, in SQL: none for a query, one for a click, two for a pair."""
    queries = [name for name in artifact.columns if name in ("query", "next_query")]
    halves = (f"key div {SHIFT}", f"key % {SHIFT}")
    return halves[: len(queries)] if len(artifact.columns) == 2 else ()
