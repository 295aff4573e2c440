"""Run a mechanism on a log of worlds again and again; note what it shows of each world."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.audit.laboratory import Layout
from crowdlog.audit.neighbours import STRIDE, Shape
from crowdlog.audit.public import equipped

if TYPE_CHECKING:
    from crowdlog.audit.laboratory import Laboratory
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.release.promise import Protected

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Effort:
    """At most so many runs, over logs of about so many rows, until a moment of the monotonic clock."""

    runs: int = 40
    rows: int = 200_000
    until: float = float("inf")

    def enough(self, done: int) -> bool:
        return done >= self.runs or (done >= 2 and time.monotonic() > self.until)  # two runs: one to choose an event, one to confirm it

    def layout(self, mechanism: Mechanism, shapes: tuple[Shape, ...], *, whole_sessions: bool = False) -> Layout:
        """As many worlds as fit. Where a mechanism has a public pool, every shape comes with keys of the pool and with others."""
        if getattr(mechanism, "pool", None) is not None:
            shapes = (*shapes, *(Shape(**{**vars(shape), "name": f"{shape.name}, not in the pool", "pooled": False}) for shape in shapes))
        queries = queries_of(mechanism, whole_sessions=whole_sessions)
        rows = queries * sum(shape.rows for shape in shapes)
        return Layout(shapes, max(100, min(self.rows // 10, self.rows // max(rows, 1))), queries)


def queries_of(mechanism: Mechanism, *, whole_sessions: bool) -> int:
    """How many queries in a row a person asks for one key: two for pairs; of sessions two, or one more than count."""
    if hasattr(mechanism, "l_q"):
        return mechanism.l_q + 1 if whole_sessions else 2
    pairs = getattr(mechanism, "weight_pairs", 0) or getattr(mechanism, "weight_suggestions", 0)
    return 2 if pairs or "pair" in getattr(mechanism, "artifact", "query") else 1


@dataclass(frozen=True)
class Shown:
    """Of one table, by run, shape and world: how many keys are shown and the sum of their counts."""

    keys: Ints
    total: Ints


def flat(table: Any) -> Any:
    """With sequences as one text, whose order is that of the sequences."""
    import pyarrow.compute as pc

    if table.column_names[0] != "sequence":
        return table
    return table.set_column(0, "sequence", pc.binary_join(table.column(0), "\x01"))


def worlds_of(table: Any) -> Ints:
    """The world of each row: the number in its first text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.struct_field(pc.extract_regex(flat(table).column(0).combine_chunks(), r"^[a-z]*(?P<n>\d+)"), "n")
    worlds: Ints = pc.cast(numbers, pa.int64()).to_numpy(zero_copy_only=False) // STRIDE
    return worlds


def outcome(protected: Protected, layout: Layout) -> dict[str, Shown]:
    """What one run shows of each world, by table. Of queries in a row only the first counts as the world's query."""
    import pyarrow.compute as pc

    found, size = {}, (len(layout.shapes), layout.worlds)
    for name, whole in protected.tables.items():
        table = whole.filter(pc.starts_with(whole.column(0), "q")) if name == "queries" else whole
        worlds, counts = worlds_of(table), table.column("count").to_numpy()
        keys = np.bincount(worlds, minlength=size[0] * size[1]).reshape(size)
        total = np.bincount(worlds, weights=counts, minlength=size[0] * size[1]).astype(np.int64).reshape(size)
        found[name] = Shown(keys, total)
    return found


def sample(
    mechanism: Mechanism, laboratory: Laboratory, layout: Layout, randomness: Randomness, effort: Effort, *, sides: tuple[bool, ...]
) -> list[Mapping[str, Shown]]:
    """For each side (without, with the person) what all runs showed, stacked: [run, shape, world]."""
    logs = [laboratory.log(layout, with_person=side) for side in sides]
    ready = equipped(mechanism, laboratory, layout)
    seen: list[list[dict[str, Shown]]] = [[] for _ in logs]
    done = 0
    while not effort.enough(done):
        for log, runs in zip(logs, seen, strict=True):
            runs.append(outcome(ready.protect(log, randomness), layout))
        done += 1
    return [_stack(runs) for runs in seen]


def _stack(runs: list[dict[str, Shown]]) -> dict[str, Shown]:
    return {name: Shown(np.stack([run[name].keys for run in runs]), np.stack([run[name].total for run in runs])) for name in runs[0]}
