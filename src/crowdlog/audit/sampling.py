"""Run a mechanism on a log of worlds again and again; note what it shows of each world."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.breakdowns import BREAKDOWN_TABLES
from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.artifacts.packed_keys import unpack
from crowdlog.audit.answers import check_naming, decided, protected_log
from crowdlog.audit.declared import queries_per_key, words_of
from crowdlog.audit.neighbours import STRIDE, Shape
from crowdlog.audit.public_inputs import equipped
from crowdlog.audit.synthetic_logs import WorldLayout
from crowdlog.engine.key_owners import numbered
from crowdlog.engine.log_source import LogSource
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import with_role
from crowdlog.plan.candidates import Pool, PublicResults
from crowdlog.plan.decide import Kept, KeyHistories, TableCounts
from crowdlog.plan.table import TablePlan
from crowdlog.release.promise import Protected
from crowdlog.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True)
class Effort:
    """At most so many runs, over logs of about so many rows, until a moment of the monotonic clock."""

    runs: int = 40
    rows: int = 200_000
    until: float = float("inf")

    def enough(self, done: int) -> bool:
        # two runs: one to choose an event, one to confirm it
        return done >= self.runs or (done >= 2 and time.monotonic() > self.until)

    def layout(
        self, mechanism: Mechanism, shapes: tuple[Shape, ...], *, whole_sessions: bool = False
    ) -> WorldLayout:
        """As many worlds as fit.

        Where a mechanism has a public pool, every shape comes with keys of the pool and with others.
        """
        if with_role(mechanism, "pool"):
            shapes = (
                *shapes,
                *(
                    Shape(**{**vars(shape), "name": f"{shape.name}, not in the pool", "pooled": False})
                    for shape in shapes
                ),
            )
        queries, words = queries_per_key(mechanism, whole_sessions=whole_sessions), words_of(mechanism)
        rows = queries * sum(shape.rows for shape in shapes)
        return WorldLayout(shapes, max(100, min(self.rows // 10, self.rows // max(rows, 1))), queries, words)


@dataclass(frozen=True)
class Shown:
    """Of one table, by run, shape and world: how many keys are shown and the sum of their counts; and where
    rows tell the standard deviation of their noise, the sum of these.
    """

    keys: Ints
    total: Ints
    noise: Floats | None = None


def flat(table: Any) -> Any:
    """With sequences as one text, whose order is that of the sequences."""
    import pyarrow.compute as pc

    if table.column_names[0] != "sequence":
        return table
    return table.set_column(0, "sequence", pc.binary_join(table.column(0), "\x01"))


def worlds_of(table: Any) -> Ints:
    """The world of each row: the number in its first text."""
    return _worlds(flat(table).column(0).combine_chunks())


def _worlds(texts: Any) -> Ints:
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.struct_field(pc.extract_regex(texts, r"^[a-z]*(?P<n>\d+)"), "n")
    worlds: Ints = pc.cast(numbers, pa.int64()).to_numpy(zero_copy_only=False) // STRIDE
    return worlds


def outcome(protected: Protected, layout: WorldLayout) -> dict[str, Shown]:
    """What one run shows of each world, by table.

    Of queries in a row only the first counts as the world's query.
    """
    found = {}
    for name, whole in protected.tables.items():
        if name in BREAKDOWN_TABLES:  # of no world: one row of cells
            counts = whole.column("count").to_numpy()[None, :]
            found[name] = Shown(np.ones_like(counts), counts)
            continue
        table = _world_rows(name, whole)
        table = table.filter(_numbered_texts(table))
        told = table.column("noise").to_numpy() if "noise" in table.column_names else None
        found[name] = _shown(worlds_of(table), table.column("count").to_numpy(), layout, told)
    return found


def _world_rows(name: str, table: Any) -> Any:
    """Of queries and words the first of each row of queries, of other tables all."""
    return table.filter(_starts_with_q(table.column(0))) if name in ("queries", "words") else table


def _numbered_texts(table: Any) -> Any:
    """Which rows name a world: noise may invent texts of public words, which are of no world."""
    import pyarrow.compute as pc

    return pc.match_substring_regex(flat(table).column(0), r"^[a-z]*\d+")


def _shown(worlds: Ints, counts: Ints, layout: WorldLayout, noise: Floats | None = None) -> Shown:
    size = (len(layout.shapes), layout.worlds)

    def summed(values: Any) -> Any:
        return np.bincount(worlds, weights=values, minlength=size[0] * size[1]).reshape(size)

    total = summed(counts).astype(np.int64)
    return Shown(summed(None).astype(np.int64), total, None if noise is None else summed(noise))


def sample(
    mechanism: Mechanism,
    logs: SyntheticLogs,
    layout: WorldLayout,
    randomness: Randomness,
    effort: Effort,
    *,
    sides: tuple[bool, ...],
) -> list[Mapping[str, Shown]]:
    """For each side (without, with the person) what all runs showed, stacked: [run, shape, world]."""
    ready = equipped(mechanism, logs, layout)
    with ExitStack() as stack:
        ready_logs = [
            stack.enter_context(_ready_log(ready, logs.log(layout, with_person=side), layout))
            for side in sides
        ]
        seen: list[list[dict[str, Shown]]] = [[] for _ in ready_logs]
        done = 0
        while not effort.enough(done):
            for run, runs in zip(ready_logs, seen, strict=True):
                runs.append(run(randomness))
            done += 1
    return [_stack(runs) for runs in seen]


@contextmanager
def _ready_log(
    mechanism: Mechanism, log: LogStore, layout: WorldLayout
) -> Iterator[Callable[[Randomness], dict[str, Shown]]]:
    """One run of the mechanism on this log.

    Its counts are the same in every run, so they are counted once; noise is drawn each time.

    A mechanism that goes a way of its own from the log to the tables is run as a whole.
    """
    if type(mechanism).protect is not Mechanism.protect:

        def whole(randomness: Randomness) -> dict[str, Shown]:
            return outcome(protected_log(mechanism, log, randomness), layout)

        yield whole
        return
    with mechanism.open(log) as source:
        counted = Remembered(source)
        check_naming(mechanism, source, counted)
        texts = source.query_texts(np.arange(source.names))
        worlds, first = _worlds(texts), _starts_with_q(texts)

        def run(randomness: Randomness) -> dict[str, Shown]:
            found = {}
            for plan, kept in zip(
                mechanism.plan, decided(mechanism, counted, randomness).values(), strict=True
            ):
                where, counts = _places(plan, kept, source, worlds, first)
                found[plan.name] = _shown(where, counts, layout)
            return found

        yield run


def _starts_with_q(texts: Any) -> Bools:
    """Which texts are the first query of a row of queries."""
    import pyarrow.compute as pc

    return np.asarray(pc.starts_with(texts, "q").to_numpy(zero_copy_only=False))


def _places(plan: TablePlan, kept: Kept, source: LogSource, worlds: Ints, first: Bools) -> tuple[Ints, Ints]:
    """The world of each kept key and its count, without naming keys where their ids tell it."""
    by_name = isinstance(plan.artifact, Sequences) or plan.artifact.columns[0] != "query"
    if by_name or isinstance(plan.candidates, Pool | PublicResults):
        table = _world_rows(plan.name, source.table(plan, kept))
        return worlds_of(table), table.column("count").to_numpy()
    if plan.artifact.kind == "query":
        own = first[kept.key]
        return worlds[kept.key[own]], kept.count[own]
    return worlds[unpack(kept.key)[0]], kept.count


@dataclass(frozen=True)
class Remembered:
    """A log whose counts are remembered, but for bounds by lot: these are drawn anew each time."""

    source: LogSource
    _counts: dict[TablePlan, TableCounts] = field(default_factory=dict)
    _rows: dict[Artifact, tuple[Ints, Ints]] = field(default_factory=dict)
    _histories: dict[TablePlan, KeyHistories] = field(default_factory=dict)
    _per_user: dict[TablePlan, Ints] = field(default_factory=dict)

    def counts(self, plan: TablePlan, randomness: Randomness) -> TableCounts:
        if plan.bound.by_lot:
            return self.source.counts(plan, randomness)
        if plan not in self._counts:
            self._counts[plan] = self.source.counts(plan, randomness)
        return self._counts[plan]

    def artifacts_per_user(self, plan: TablePlan) -> Ints:
        if plan not in self._per_user:
            self._per_user[plan] = self.source.artifacts_per_user(plan)
        return self._per_user[plan]

    def histories(self, plan: TablePlan, shown: Ints | None) -> KeyHistories:
        if not isinstance(plan.artifact, Artifact):
            raise TypeError("sequences are chosen by counts, and public values not at all")
        if shown is None:
            if plan not in self._histories:
                self._histories[plan] = self.source.histories(plan, None)
            return self._histories[plan]
        if plan.artifact not in self._rows:
            self._rows[plan.artifact] = self.source.rows(plan.artifact)
        key, histories = numbered(*self._rows[plan.artifact], plan.artifact, shown)
        return KeyHistories(key, histories, self.source.prior(plan))


def _stack(runs: list[dict[str, Shown]]) -> dict[str, Shown]:
    return {name: _stacked([run[name] for run in runs]) for name in runs[0]}


def _stacked(runs: list[Shown]) -> Shown:
    noise = [run.noise for run in runs if run.noise is not None]
    return Shown(
        np.stack([run.keys for run in runs]),
        np.stack([run.total for run in runs]),
        np.stack(noise) if len(noise) == len(runs) else None,
    )
