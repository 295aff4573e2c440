"""From a log to the artifacts of one kind and back from their keys to text: what every mechanism begins and ends with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.connection import Engine
from crowdlog.engine.mine import mine, unpack
from crowdlog.engine.rename import Renaming, as_table, rename
from crowdlog.privacy.histories import Histories

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Mine:
    """An open log whose artifacts can be counted and whose kept keys can be named."""

    engine: Engine
    renaming: Renaming | None
    renamed: Any

    def artifacts(self, artifact: Artifact) -> Any:
        """All artifacts of this kind as an Ibis table: user, row, nth, key."""
        return mine(self.engine.events, artifact, self.renamed)

    def table(self, artifact: Artifact, keys: Ints, counts: Ints, **more: Ints) -> pa.Table:
        """The kept keys with their texts, most frequent first (ties by text), ready to publish."""
        import pyarrow as pa

        columns: dict[str, Any] = {}
        if artifact.kind == "query":
            columns["query"] = self.query_texts(keys)
        else:
            first, second = unpack(keys)
            columns["query"] = self.query_texts(first)
            if artifact.kind == "click":
                columns["url"] = self.engine.log.url_texts(second)
            else:
                columns["next_query"] = self.query_texts(second)
            if not artifact.directed:  # in the order of the alphabet: the order of ids would tell which query the log saw first
                columns = _sorted_ends(columns)
        table = pa.table({**columns, "count": counts, **more})
        return table.sort_by([("count", "descending"), *((name, "ascending") for name in columns)])

    def query_texts(self, ids: Ints) -> Any:
        """The texts of these queries, in the representation."""
        import pyarrow as pa

        if self.renaming is None:
            return self.engine.log.query_texts(ids)
        return self.renaming.texts.take(pa.array(ids, pa.int64()))


def _sorted_ends(columns: dict[str, Any]) -> dict[str, Any]:
    import pyarrow.compute as pc

    first, second = columns["query"], columns["next_query"]
    ordered = pc.less_equal(first, second)
    return {"query": pc.if_else(ordered, first, second), "next_query": pc.if_else(ordered, second, first)}


@contextmanager
def open_mine(log: LogStore, representation: str = "original") -> Iterator[Mine]:
    """Open the log for counting, with its queries in this representation."""
    with Engine(log) as engine:
        if representation == "original":
            yield Mine(engine, None, None)
            return
        renaming = rename(log, representation)
        yield Mine(engine, renaming, as_table(renaming))


def read_histories(artifacts: Any, artifact: Artifact, shown: Ints | None = None) -> tuple[Ints, Histories]:
    """Artifacts as small numbers, and the key of each number. `shown`: only clicks of these queries, pairs of two of them."""
    table = artifacts.select("user", "key").to_pyarrow()
    users, keys = (table.column(name).to_numpy() for name in ("user", "key"))
    if artifact.kind == "query":
        known = np.arange(keys.max(initial=-1) + 1)  # ids of queries are small numbers already
        return known, Histories.from_rows(users, keys, len(known))
    if shown is not None:
        first, second = unpack(keys)
        wanted = np.isin(first, shown) & (np.isin(second, shown) if artifact.kind == "pair" else True)
        users, keys = users[wanted], keys[wanted]
    known, numbers = np.unique(keys, return_inverse=True)
    return known, Histories.from_rows(users, numbers, len(known))
