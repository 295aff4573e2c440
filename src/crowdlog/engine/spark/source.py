"""A log store as a source that decides on Spark: counts, keys not shown and people's histories stay there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from crowdlog.artifacts.kinds import PART_ARTIFACTS, Artifact, Sequences
from crowdlog.artifacts.packed_keys import SHIFT
from crowdlog.artifacts.public_lists import read_pool, read_surfaced
from crowdlog.engine.count import counts_per_key
from crowdlog.engine.log_source import NOWHERE, LogSource, bounded_by
from crowdlog.engine.spark.blocks import UserBlock, by_user
from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.engine.spark.counts import KEPT, collected, decide_there
from crowdlog.engine.spark.rounds import SharedSelection, select_there
from crowdlog.errors import InputError
from crowdlog.plan.bounds import SquaredBudget
from crowdlog.plan.candidates import OfShown, Pool, PublicResults
from crowdlog.plan.decide import Kept, published
from crowdlog.plan.selections import AtLeast, KeySelection, NoisyThreshold, WeightedRounds
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.types import Ints


@dataclass(frozen=True)
class SparkSource(LogSource):
    """Follows the same plans as one machine does; given the same secret, it publishes the same tables."""

    engine: SparkEngine

    def decide(self, plans: Sequence[TablePlan], randomness: KeyedRandomness) -> dict[str, Kept]:
        for plan in plans:
            check_plan(plan)
        sizes = self._own_sizes(plans)
        kept: dict[str, Kept] = {}
        for plan in plans:
            shown = kept["queries"].key if isinstance(plan.candidates, OfShown | PublicResults) else None
            kept[plan.name] = self._decide(plan, shown, sizes, randomness.within(plan.name))
        return kept

    def _decide(self, plan: TablePlan, shown: Ints | None, sizes: Any, randomness: KeyedRandomness) -> Kept:
        artifact = plan.artifact
        if isinstance(artifact, Sequences):
            raise TypeError("sequences are not counted on Spark")
        if isinstance(plan.selection, WeightedRounds | KeySelection):
            return self._by_weights(plan, artifact, shown, sizes, randomness)
        counted, owners = self._counted(plan, artifact, randomness)
        return decide_there(counted, plan, owners, shown, randomness)

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
        known = self._ids_of(self.log.queries(), texts)
        return texts.join(known, "text", "left").selectExpr("coalesce(id, -1 - place) as key", "place")

    def _of_results_there(self, results: PublicResults, counts: Any) -> Any:
        public = read_surfaced(results.file, self.representation)
        rows = self._rows_there(public.append_column("row", pa.array(range(public.num_rows), pa.int64())))
        queries = self._ids_of(self.log.queries(), rows.selectExpr("query as text").distinct())
        urls = self._ids_of(self.log.urls(), rows.selectExpr("url as text").distinct())
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
        return self._rows_there(pa.table({"place": pa.array(range(len(texts)), pa.int64()), "text": texts}))

    def _rows_there(self, table: pa.Table) -> Any:
        """A public table: the only ones that go from the driver to the cluster."""
        return self.engine.session.createDataFrame(table)

    def _ids_of(self, path: Any, texts: Any) -> Any:
        """text, id of those public texts that the log has. The public texts go to the log's, which are not
        moved: no text of the log is written anywhere.
        """
        from pyspark.sql.functions import broadcast

        known = self.engine.session.read.parquet(str(path)).selectExpr("cast(id as long) as id", "text")
        return broadcast(known.join(broadcast(texts.select("text")), "text"))

    # --- chosen by weights ---

    def _by_weights(
        self,
        plan: TablePlan,
        artifact: Artifact,
        shown: Ints | None,
        sizes: Any,
        randomness: KeyedRandomness,
    ) -> Kept:
        if not isinstance(plan.bound, SquaredBudget):
            raise TypeError(f"a selection by weights needs a squared budget, got {plan.bound}")
        rows = self._rows(artifact, shown)
        selection = self._selection(plan, randomness)
        kept = select_there(selection, self._with_sizes(plan, rows, sizes if selection.sized else None))
        found = rows.join(self._keys_there(kept), "key")
        counts = collected(
            by_user(found, self.engine.parts, partial(_counts, plan.bound.budget, randomness), KEPT)
            .groupBy("key")
            .sum("count")
            .withColumnRenamed("sum(count)", "count")
        )
        return published(plan, counts.key, counts.count, randomness)

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

        return broadcast(self._rows_there(pa.table({"key": pa.array(keys, pa.int64())})))

    def _selection(self, plan: TablePlan, randomness: KeyedRandomness) -> SharedSelection:
        chosen = plan.selection
        unknown = 1.0 if plan.favours is None else plan.favours.unknown
        parts = self.engine.parts
        if isinstance(chosen, WeightedRounds):
            rounds = chosen.method.rounds_of(chosen.mu, chosen.threshold)
            sized = chosen.own is not None
            return SharedSelection(chosen.method, rounds, chosen.own, sized, unknown, parts, randomness)
        if not (isinstance(chosen, KeySelection) and isinstance(chosen.method, AdaptiveGaussian)):
            raise TypeError(f"{chosen} is not run on Spark")
        found = chosen.method.settings(chosen.epsilon, chosen.delta)
        rounds = chosen.method.rounds_of(found.mu, found.threshold)
        return SharedSelection(chosen.method, rounds, found.sizes, False, unknown, parts, randomness)

    def _own_sizes(self, plans: Sequence[TablePlan]) -> Any:
        """user, size: in no table of the release has she more different keys."""
        sized = [plan for plan in plans if isinstance(plan.selection, WeightedRounds) and plan.selection.own]
        each = [
            self._rows(plan.artifact, None).groupBy("user").count()
            for plan in sized
            if not isinstance(plan.artifact, Sequences)
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


def check_plan(plan: TablePlan) -> None:
    """Raise InputError when Spark cannot make this table yet."""
    artifact, selection = plan.artifact, plan.selection
    if isinstance(artifact, Sequences):
        raise InputError("Sequences of queries are not counted on Spark. Use --engine duckdb for them.")
    if artifact.representation != "original" or artifact.kind in PART_ARTIFACTS:
        raise InputError(
            "On Spark, texts are counted as the log writes them, whole. "
            "Leave out the representation, words and sites, or use --engine duckdb."
        )
    by_counts = selection is None or isinstance(selection, NoisyThreshold | AtLeast | WeightedRounds)
    adaptive = isinstance(selection, KeySelection) and isinstance(selection.method, AdaptiveGaussian)
    if not (by_counts or adaptive):
        raise InputError("On Spark, keys are selected by 'adaptive' only. Use that, or --engine duckdb.")


def _owners(artifact: Artifact) -> tuple[str, ...]:
    """The queries that a key is about, in SQL: none for a query, one for a click, two for a pair."""
    queries = [name for name in artifact.columns if name in ("query", "next_query")]
    halves = (f"key div {SHIFT}", f"key % {SHIFT}")
    return halves[: len(queries)] if len(artifact.columns) == 2 else ()


def _counts(budget: int, randomness: KeyedRandomness, block: UserBlock) -> Iterator[pa.RecordBatch]:
    inside = randomness.within("histories").within("counts", block.keys, block.users)
    yield pa.record_batch({"key": block.keys, "count": block.histories.counts(budget, inside)})
