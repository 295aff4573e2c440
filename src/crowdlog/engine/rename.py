"""Another representation of query text: a table that maps query ids to ids of the new texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.artifacts.representations import represent
from crowdlog.log.parts import batches
from crowdlog.log.store import LogStore
from crowdlog.progress import progress_bar


@dataclass(frozen=True)
class Renaming:
    """`ids`: query → new; `texts`: the text of each new id; `representation`: how they are written."""

    ids: pa.Table
    texts: pa.StringArray
    representation: str

    def __repr__(self) -> str:
        return f"Renaming({self.ids.num_rows} queries to {len(self.texts)})"


def rename(log: LogStore, representation: str) -> Renaming:
    """Represent every distinct query of the log. Streams: only the new texts are held."""
    pieces: list[Any] = []
    query_ids: list[Any] = []
    with progress_bar(f"Queries as {representation}", log.info.queries, unit="queries") as advance:
        for batch in batches(log.queries(), ["id", "text"]):
            texts: list[Any] = batch.column("text").to_pylist()
            pieces.append(pa.array(represent(texts, representation), pa.string()).dictionary_encode())
            query_ids.append(batch.column("id"))
            advance(batch.num_rows)
    if not pieces:
        none = pa.table({"query": pa.array([], pa.int32()), "new": pa.array([], pa.int32())})
        return Renaming(none, pa.array([], pa.string()), representation)
    encoded: Any = pa.chunked_array(pieces).unify_dictionaries()
    new = pa.chunked_array([chunk.indices for chunk in encoded.chunks])
    ids = pa.table({"query": pa.chunked_array(query_ids), "new": pc.cast(new, pa.int32())})
    return Renaming(ids, encoded.chunk(0).dictionary, representation)


def as_table(renaming: Renaming) -> Any:
    """The renaming as a table that any back end can join."""
    return ibis.memtable(renaming.ids)
