"""A log store as a source of counts, and back from kept keys to text: where a release begins and ends.

A key is a query id, or two ids packed into one number. Keys −1, −2, … are texts of a public pool that the log
does not have; keys of public results are rows of their file; keys of sequences are numbers of a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.artifacts.packed_keys import unpack
from crowdlog.artifacts.public_lists import read_features, read_pool, read_surfaced
from crowdlog.engine import bound
from crowdlog.engine.connection import Engine
from crowdlog.engine.count import histogram
from crowdlog.engine.key_owners import numbered, owners_of
from crowdlog.engine.mine import mine, mine_triples
from crowdlog.engine.parts import Parts
from crowdlog.engine.rename import Renaming, as_table
from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore
from crowdlog.plan.bounds import (
    DividedPerson,
    FirstKeys,
    FirstOccurrences,
    RandomKeys,
    RandomOccurrences,
    ScaledLength,
    SessionCut,
    SquaredBudget,
    Unbounded,
)
from crowdlog.plan.candidates import Pool, PublicResults
from crowdlog.plan.decide import Kept, KeyHistories, TableCounts, by_counts
from crowdlog.plan.selections import AtLeast, NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Floats, Ints

if TYPE_CHECKING:  # it is compiled, which a release of queries need not wait for
    from crowdlog.engine.subsequences import Naming, Subsequences

NOT_KEYS = "a breakdown has public values, not keys of the log"
NOWHERE = np.iinfo(np.int64).min  # the owner of public results whose query nobody asked and no pool holds


@dataclass(frozen=True)
class LogSource:
    """An open log whose artifacts can be counted and whose kept keys can be named, with its queries in one
    representation.
    """

    engine: Engine
    renaming: Renaming | None = None
    _sequences: dict[Sequences, tuple[Subsequences, list[str]]] = field(default_factory=dict)

    @property
    def log(self) -> LogStore:
        return self.engine.log

    @property
    def representation(self) -> str:
        return "original" if self.renaming is None else self.renaming.representation

    def artifacts(self, artifact: Artifact) -> Any:
        """All artifacts of this kind as an Ibis table: user, row, nth, key."""
        renamed = None if self.renaming is None else as_table(self.renaming)
        return mine(self.engine.events, artifact, renamed, self.parts)

    def triples(self, session_minutes: int) -> Any:
        """All triples of queries as an Ibis table: user, row, first, second, third."""
        renamed = None if self.renaming is None else as_table(self.renaming)
        return mine_triples(self.engine.events, session_minutes, renamed)

    @cached_property
    def parts(self) -> Parts:
        """Words and sites, in the representation."""
        return Parts(self.log, self.renaming)

    # --- counting ---

    def counts(self, plan: TablePlan, randomness: Randomness) -> TableCounts:
        if isinstance(plan.artifact, Sequences):
            return self._count_sequences(plan, plan.artifact)
        if isinstance(plan.artifact, Breakdown):
            raise TypeError(NOT_KEYS)
        bounded = bounded_by(plan, self.artifacts(plan.artifact), randomness)
        once = isinstance(
            plan.bound, FirstKeys | RandomKeys
        )  # each user has each key once: impressions are users
        found = histogram(bounded, users=_needs_users(plan) and not once)
        users = found.impressions if once else found.users
        counted = TableCounts(found.key, found.impressions, users, owners_of(plan.artifact, found.key))
        if isinstance(plan.candidates, Pool):
            return self._of_pool(plan.candidates, counted)
        if isinstance(plan.candidates, PublicResults):
            return self._of_results(plan.candidates, counted)
        return counted

    def histories(self, plan: TablePlan, shown: Ints | None) -> KeyHistories:
        if not isinstance(plan.artifact, Artifact):
            raise TypeError("sequences are chosen by counts, and public values not at all")
        key, histories = numbered(*self.rows(plan.artifact), plan.artifact, shown)
        return KeyHistories(key, histories, self.prior(plan))

    def rows(self, artifact: Artifact) -> tuple[Ints, Ints]:
        """User and key of every artifact, in any order."""
        table = self.artifacts(artifact).select("user", "key").to_pyarrow()
        return table.column("user").to_numpy(), table.column("key").to_numpy()

    def artifacts_per_user(self, plan: TablePlan) -> Ints:
        if not isinstance(plan.artifact, Artifact):
            raise TypeError("sequences are chosen by counts, and public values not at all")
        rows = self.artifacts(plan.artifact)
        table = rows.group_by("user").agg(artifacts=rows.count()).to_pyarrow()
        users = table.column("user").to_numpy()
        found = np.zeros(users.max(initial=-1) + 1, np.int64)
        found[users] = table.column("artifacts").to_numpy()
        return found

    def _of_pool(self, pool: Pool, asked: TableCounts) -> TableCounts:
        """Every text of the pool, asked or not; then, where others may appear, what was asked beside it."""
        place = self.places(read_pool(pool.file, self.representation))
        key = -1 - np.arange(pool.size)
        key[place[place >= 0]] = np.flatnonzero(place >= 0)
        true = np.zeros(pool.size, np.int64)
        inside = place[asked.key]
        true[inside[inside >= 0]] = asked.impressions[inside >= 0]
        if pool.others:
            key = np.append(key, asked.key[inside < 0])
            true = np.append(true, asked.impressions[inside < 0])
        return TableCounts(key, true, np.zeros(0, np.int64))

    def _of_results(self, results: PublicResults, clicked: TableCounts) -> TableCounts:
        """Every public result with its clicks: no clicks get noise, too, so that rows do not tell what was
        clicked.
        """
        public = self._results(results.file)
        names = self._click_table(clicked.key, clicked.impressions)
        numbered_rows = public.append_column("row", pa.array(np.arange(public.num_rows)))
        both = numbered_rows.join(names, ["query", "url"], join_type="left outer").sort_by("row")
        true = np.nan_to_num(both["count"].to_numpy()).astype(np.int64)  # no row: nobody clicked it
        return TableCounts(
            np.arange(public.num_rows),
            true,
            np.zeros(0, np.int64),
            (self._owners_of(public["query"], results.pool),),
        )

    def _owners_of(self, texts: Any, pool: str | None) -> Ints:
        """The query key of each text: its id, or its place in the pool, or nowhere."""
        distinct = texts.combine_chunks().dictionary_encode()
        ids = np.full(len(distinct.dictionary), NOWHERE)
        if pool is not None:
            inside = _filled(pc.index_in(distinct.dictionary, value_set=read_pool(pool, self.representation)))
            ids = np.where(inside >= 0, -1 - inside, ids)
        place = self.places(distinct.dictionary)
        ids[place[place >= 0]] = np.flatnonzero(place >= 0)
        owners: Ints = ids[distinct.indices.to_numpy()]
        return owners

    def prior(self, plan: TablePlan) -> Floats | None:
        """1 for queries of the list that the plan favours, less for others: a function of each query's text
        alone.
        """
        if plan.favours is None:
            return None
        inside = self.places(read_pool(plan.favours.file, self.representation)) >= 0
        return np.where(inside, 1.0, plan.favours.unknown)

    def places(self, texts: pa.StringArray) -> Ints:
        """For each query id of the log: its place among the texts, −1 if it is not there."""
        if self.renaming is not None:
            return _filled(pc.index_in(self.renaming.texts, value_set=texts))
        found = [
            _filled(pc.index_in(batch.column("text"), value_set=texts))
            for batch in batches(self.log.queries(), ["text"])
        ]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _count_sequences(self, plan: TablePlan, kind: Sequences) -> TableCounts:
        from crowdlog.engine.subsequences import count_subsequences, cut_sessions

        if not isinstance(plan.bound, SessionCut):
            raise TypeError(f"sequences are bounded by cutting sessions, not by {plan.bound}")
        naming, topics = self._naming(kind)
        rows = cut_sessions(self.log, kind.session_minutes, plan.bound.sessions, plan.bound.queries, naming)
        found = count_subsequences(rows, len(topics) if topics else self.names, people=plan.counts == "users")
        self._sequences[kind] = found, topics
        return TableCounts(np.arange(len(found.count)), found.count, found.count)

    @property
    def names(self) -> int:
        """How many different queries there are in the representation."""
        return self.log.info.queries if self.renaming is None else len(self.renaming.texts)

    def _naming(self, kind: Sequences) -> tuple[Naming, list[str]]:
        """How queries of the log become numbers of queries in the representation, or of topics; and the
        topics.
        """
        from crowdlog.engine.subsequences import Naming

        query = None
        if self.renaming is not None:
            query = np.zeros(self.renaming.ids.num_rows, np.int64)
            query[self.renaming.ids["query"].to_numpy()] = self.renaming.ids["new"].to_numpy()
        if kind.topics is None:
            return Naming(query), []
        texts, topic, topics = read_features(kind.topics, self.representation)
        # place −1 is the last one: no topic
        return Naming(query, np.append(topic, -1)[self.places(texts)]), topics

    def kept_with_people(self, plan: TablePlan, randomness: Randomness) -> tuple[Kept, Ints]:
        """What a plan keeps by exact counts, and how many people are behind each key."""
        found = self.counts(plan, randomness)
        kept = by_counts(plan, found, randomness)
        return kept, found.users[found.key.searchsorted(kept.key)]

    # --- naming ---

    def table(self, plan: TablePlan, kept: Kept, **more: Any) -> pa.Table:
        """The kept keys with their texts, most frequent first (ties by text), ready to publish."""
        if isinstance(plan.artifact, Sequences):
            return self._sequence_table(plan.artifact, kept)
        if isinstance(plan.artifact, Breakdown):
            raise TypeError(NOT_KEYS)
        if isinstance(plan.candidates, PublicResults):
            rows = self._results(plan.candidates.file).take(pa.array(kept.key, pa.int64()))
            columns: dict[str, Any] = {"query": rows["query"], "url": rows["url"]}
        else:
            columns = self.texts(
                plan.artifact, kept.key, plan.candidates if isinstance(plan.candidates, Pool) else None
            )
        table = pa.table({**columns, "count": kept.count, **more})
        return table.sort_by([("count", "descending"), *((name, "ascending") for name in columns)])

    def texts(self, artifact: Artifact, key: Ints, pool: Pool | None = None) -> dict[str, Any]:
        """The texts of each key, by column."""
        if artifact.kind == "query":
            return {"query": self.query_texts(key, pool)}
        ids = unpack(key) if len(artifact.columns) == 2 else (key,)
        columns = {name: self._named(name, each) for name, each in zip(artifact.columns, ids, strict=True)}
        # Undirected pairs in the order of the alphabet: the order of ids would tell which query the log saw
        # first.
        return columns if artifact.directed else _sorted_ends(columns)

    def _named(self, column: str, ids: Ints) -> Any:
        """The texts of ids by what they are."""
        if column == "url":
            return self.log.url_texts(ids)
        if column in ("query", "next_query"):
            return self.query_texts(ids)
        texts = self.parts.sites.texts if column == "site" else self.parts.words.texts
        return texts.take(pa.array(ids, pa.int64()))

    def query_texts(self, ids: Ints, pool: Pool | None = None) -> Any:
        """The texts of these queries, in the representation; negative numbers are places of the pool."""
        if pool is not None and len(ids) and ids.min() < 0:
            outside = read_pool(pool.file, self.representation).take(pa.array(-1 - ids[ids < 0], pa.int64()))
            both = pa.concat_arrays([self.query_texts(ids[ids >= 0]), outside])
            order = np.argsort(
                np.concatenate([np.flatnonzero(ids >= 0), np.flatnonzero(ids < 0)]), kind="stable"
            )
            return both.take(pa.array(order))
        if self.renaming is None:
            return self.log.query_texts(ids)
        return self.renaming.texts.take(pa.array(ids, pa.int64()))

    def _click_table(self, key: Ints, count: Ints) -> pa.Table:
        return pa.table({**self.texts(Artifact("click"), key), "count": count})

    def _results(self, file: str) -> pa.Table:
        return read_surfaced(file, self.representation)

    def _sequence_table(self, kind: Sequences, kept: Kept) -> pa.Table:
        """The sequences as lists of texts."""
        found, topics = self._sequences[kind]

        def texts(ids: Ints) -> list[str]:
            if topics:
                return [topics[number] for number in ids.tolist()]
            named: list[str] = self.query_texts(ids).to_pylist()
            return named

        return sequence_table(found.members(kept.key), kept, texts)


def sequence_table(members: list[list[int]], kept: Kept, texts: Callable[[Ints], list[str]]) -> pa.Table:
    """The most frequent first, ties by text."""
    used = sorted({number for sequence in members for number in sequence})
    text = dict(zip(used, texts(np.array(used, np.int64)), strict=True))
    named = ([text[number] for number in sequence] for sequence in members)
    rows = sorted(zip((-kept.count).tolist(), named, strict=True))
    sequences = pa.array([row[1] for row in rows], pa.list_(pa.string()))
    return pa.table({"sequence": sequences, "count": pa.array([-row[0] for row in rows], pa.int64())})


@contextmanager
def open_log(
    log: LogStore, representation: str = "original", engine: Engine | None = None
) -> Iterator[LogSource]:
    """Open the log for counting. `engine`: DuckDB unless another one is given, which its owner closes."""
    if engine is not None:
        yield engine.source_in(representation)
        return
    with Engine(log) as own:
        yield own.source_in(representation)


def bounded_by(plan: TablePlan, artifacts: Any, randomness: Randomness) -> Any:
    """The artifacts that count. A bound by lot draws one secret for everybody."""
    match plan.bound:
        case RandomOccurrences(d):
            return bound.random(artifacts, d, randomness.bytes(16).hex())
        case RandomKeys(d):
            return bound.random_distinct(artifacts, d, randomness.bytes(16).hex())
        case FirstOccurrences(d):
            return bound.first(artifacts, d)
        case FirstKeys(d):
            return bound.first_distinct(artifacts, d)
        case Unbounded():
            return artifacts
        case SquaredBudget() | ScaledLength() | DividedPerson() | SessionCut():
            raise TypeError(f"{plan.bound} is not a bound on single artifacts")


def _needs_users(plan: TablePlan) -> bool:
    on = plan.selection.on if isinstance(plan.selection, NoisyThreshold | AtLeast) else plan.counts
    return "users" in (plan.counts, on)


def _filled(found: Any) -> Ints:
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)


def _sorted_ends(columns: dict[str, Any]) -> dict[str, Any]:
    first, second = columns["query"], columns["next_query"]
    ordered = pc.less_equal(first, second)
    return {"query": pc.if_else(ordered, first, second), "next_query": pc.if_else(ordered, second, first)}
