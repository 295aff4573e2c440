"""A log store as a source that decides on Spark: counts, keys not shown and people's histories stay there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.kinds import PART_ARTIFACTS, Artifact, Sequences
from crowdlog.engine.count import counts_per_key
from crowdlog.engine.log_source import bounded_by, sequence_table
from crowdlog.engine.mine import mine
from crowdlog.engine.spark.blocks import StoreBlock, blocks_of_frame, store_blocks
from crowdlog.engine.spark.connection import ROWS_PER_BLOCK
from crowdlog.engine.spark.counts import decide_there
from crowdlog.engine.spark.deciding import (
    artifacts_per_user,
    block_of,
    by_weights_at_once,
    decided,
    enough,
    joined_counts,
    joined_kept,
    kept_counts,
    rows_of_block,
    summed_counts,
)
from crowdlog.engine.spark.exchange import exchange, gathered
from crowdlog.engine.spark.failures import RESUME, told_plainly
from crowdlog.engine.spark.frames import FramedSource, is_sized
from crowdlog.engine.spark.in_task import Statement, counts_by_share, merged, numbers, unbound_events
from crowdlog.engine.spark.rounds import SharedSelection, select_there
from crowdlog.engine.spark.sequences import KeptSequences, SequenceSetting, decide_sequences
from crowdlog.errors import InputError
from crowdlog.plan.bounds import SessionCut, SquaredBudget
from crowdlog.plan.candidates import OfShown, Pool, PublicResults
from crowdlog.plan.decide import Kept, published
from crowdlog.plan.selections import AtLeast, KeySelection, NoisyThreshold, WeightedRounds
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.progress import progress_bar
from crowdlog.types import Ints


@dataclass(frozen=True)
class SparkSource(FramedSource):
    """Follows the same plans as one machine does; given the same secret, it publishes the same tables."""

    _members: dict[Sequences, KeptSequences] = field(default_factory=dict)

    # --- rows of the store alone: blocks of users ---

    def _of_blocks(self, plan: TablePlan) -> bool:
        """Whether tasks can count with the store's rows alone: no texts, and no public list of them."""
        public = isinstance(plan.candidates, Pool | PublicResults) or plan.favours is not None
        parts = isinstance(plan.artifact, Artifact) and plan.artifact.kind in PART_ARTIFACTS
        return self.written == "original" and not public and not parts

    @cached_property
    def _blocks(self) -> list[StoreBlock]:
        return store_blocks(self.log.there("events.parquet"), ROWS_PER_BLOCK)

    @cached_property
    def _events(self) -> Any:
        return unbound_events(self.log)

    def _each_block(self) -> Any:
        return self.engine.context.parallelize(self._blocks, len(self._blocks))

    def _statement(self, expression: Any) -> Statement:
        return Statement.of(expression, self._events)

    def _counts_there(self, plan: TablePlan, artifact: Artifact, randomness: KeyedRandomness) -> Any:
        """Shares of the keys with their counts."""
        bounded = bounded_by(plan, mine(self._events, artifact), randomness)
        shares = self.engine.parts
        count = partial(counts_by_share, self._statement(counts_per_key(bounded)), shares)
        return exchange(self._each_block().flatMap(count), shares).mapPartitions(merged)

    def kept_with_people(self, plan: TablePlan, randomness: Randomness) -> tuple[Kept, Ints]:
        if not (isinstance(plan.selection, AtLeast) and isinstance(plan.artifact, Artifact)):
            raise TypeError("people behind keys are told of exact thresholds only")
        keyed = KeyedRandomness.of(randomness)
        with told_plainly("Counting", RESUME):
            if self._of_blocks(plan):
                there = self._counts_there(plan, plan.artifact, keyed).map(
                    partial(enough, plan.selection.on, plan.selection.k)
                )
                found = joined_counts(there.collect())
                key, impressions, users = found.key, found.impressions, found.users
            else:
                counted, _owners = self._counted(plan, plan.artifact, keyed)
                table = counted.where(f"{plan.selection.on} >= {plan.selection.k}").toArrow().sort_by("key")
                key, impressions, users = numbers(table, "key", "impressions", "users")
        return Kept(key, impressions if plan.counts == "impressions" else users), users

    def table(self, plan: TablePlan, kept: Kept, **more: Any) -> Any:
        with told_plainly("Naming what is kept", RESUME):
            return super().table(plan, kept, **more)

    def decide(self, plans: Sequence[TablePlan], randomness: KeyedRandomness) -> dict[str, Kept]:
        for plan in plans:
            check_plan(plan)
        kept: dict[str, Kept] = {}
        with (
            told_plainly("Counting", RESUME),
            progress_bar("Tables on Spark", len(plans), unit="tables") as advance,
        ):
            for plan in plans:
                shown = kept["queries"].key if isinstance(plan.candidates, OfShown | PublicResults) else None
                kept[plan.name] = self._decide(plan, shown, plans, randomness.within(plan.name))
                advance(1)
        return kept

    def _decide(
        self,
        plan: TablePlan,
        shown: Ints | None,
        plans: Sequence[TablePlan],
        randomness: KeyedRandomness,
    ) -> Kept:
        artifact = plan.artifact
        if isinstance(artifact, Sequences):
            return self._decide_sequences(plan, artifact, randomness)
        if not isinstance(artifact, Artifact):
            raise TypeError("public values are not counted on Spark")
        if isinstance(plan.selection, WeightedRounds | KeySelection):
            return self._by_weights(plan, artifact, shown, plans, randomness)
        if self._of_blocks(plan):
            there = self._counts_there(plan, artifact, randomness)
            return joined_kept(there.map(partial(decided, plan, artifact, shown, randomness)).collect())
        counted, owners = self._counted(plan, artifact, randomness)
        return decide_there(counted, plan, owners, shown, randomness)

    def _decide_sequences(self, plan: TablePlan, kind: Sequences, randomness: KeyedRandomness) -> Kept:
        if not isinstance(plan.bound, SessionCut):
            raise TypeError(f"sequences are bounded by cutting sessions, not by {plan.bound}")
        setting = SequenceSetting(
            kind.session_minutes, plan.bound.sessions, plan.bound.queries, plan.counts == "users"
        )
        blocks = self._each_block()
        found = decide_sequences(setting, blocks, self.log.info.queries, self.engine.parts, plan, randomness)
        self._members[kind] = found
        return found.kept

    def _sequence_table(self, kind: Sequences, kept: Kept) -> pa.Table:
        found = self._members[kind]
        members = found.of(kept.key)
        return sequence_table(members, kept, lambda ids: self.query_texts(ids).to_pylist())

    # --- chosen by weights ---

    def _by_weights(
        self,
        plan: TablePlan,
        artifact: Artifact,
        shown: Ints | None,
        plans: Sequence[TablePlan],
        randomness: KeyedRandomness,
    ) -> Kept:
        if not isinstance(plan.bound, SquaredBudget):
            raise TypeError(f"a selection by weights needs a squared budget, got {plan.bound}")
        chosen = plan.selection
        if isinstance(chosen, KeySelection) and not isinstance(chosen.method, AdaptiveGaussian):
            return self._in_one_task(plan, artifact, shown, randomness)
        selection = self._selection(plan, randomness)
        blocks = self._user_blocks(plan, artifact, shown, plans if selection.sized else ())
        kept = select_there(selection, blocks)
        of_kept = self._user_blocks(plan, artifact, shown, (), kept)
        counts = of_kept.flatMap(partial(kept_counts, plan.bound.budget, kept, self.engine.parts, randomness))
        summed = exchange(counts, self.engine.parts).mapPartitions(summed_counts).collect()
        found = joined_kept(summed)
        return published(plan, found.key, found.count, randomness)

    def _user_blocks(
        self,
        plan: TablePlan,
        artifact: Artifact,
        shown: Ints | None,
        plans: Sequence[TablePlan],
        kept: Ints | None = None,
    ) -> Any:
        """What people did, in blocks of users. `plans`: those that a user's size is taken over. `kept`: keys
        beside which no others are asked for.
        """
        if not self._of_blocks(plan):
            rows = self._rows(artifact, shown)
            return blocks_of_frame(self._with_sizes(plan, rows, self._own_sizes(plans)), self.engine.parts)
        rows = self._statement(mine(self._events, artifact).select("user", "key"))
        sizes = [
            self._statement(artifacts_per_user(mine(self._events, each.artifact)))
            for each in plans
            if is_sized(each) and isinstance(each.artifact, Artifact)
        ]
        return self._each_block().flatMap(partial(block_of, rows, sizes, artifact, shown, kept))

    def _in_one_task(
        self, plan: TablePlan, artifact: Artifact, shown: Ints | None, randomness: KeyedRandomness
    ) -> Kept:
        """Selections that look at all people at once: one task gets their rows, as numbers."""
        if self._of_blocks(plan):
            rows = self._statement(mine(self._events, artifact).select("user", "key"))
            each = self._each_block().map(partial(rows_of_block, rows))
        else:
            each = self.engine.frame(self.artifacts(artifact).select("user", "key")).rdd.map(_row)
        found = gathered(exchange(each, 1)).map(
            partial(by_weights_at_once, plan, artifact, shown, randomness)
        )
        return joined_kept(found.collect())

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


def _row(row: Any) -> tuple[int, tuple[Ints, Ints]]:
    return 0, (np.array([row["user"]], np.int64), np.array([row["key"]], np.int64))


def check_plan(plan: TablePlan) -> None:
    """Raise InputError when Spark cannot make this table."""
    artifact, selection = plan.artifact, plan.selection
    if isinstance(artifact, Sequences):
        if artifact.topics is not None or artifact.representation != "original":
            raise InputError(
                "On Spark, sequences are of queries as they are, not of topics or other representations. Use "
                "--engine duckdb for them."
            )
        return
    known = NoisyThreshold | AtLeast | WeightedRounds | KeySelection
    if selection is not None and not isinstance(selection, known):
        raise InputError("This way to choose keys is not known on Spark. Use --engine duckdb for it.")
