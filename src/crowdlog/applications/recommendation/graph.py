"""The query-flow graph and the term–query graph of a log or of a release, in one file.

Edges of the flow: ordered pairs of a session, at most 29 searches apart, or the pairs that a release
publishes. The out-going edges of a query sum to 1. A term is a word of a query; it points to every query that
holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from crowdlog.errors import InputError
from crowdlog.files.whole import new_file
from crowdlog.log.store import LogStore
from crowdlog.release.folder import Release
from crowdlog.types import Floats, Ints

VERSION = 1
WINDOW = 30  # searches, Feild 2013 §6.4
_DASH = "-"  # AOL's scrubbed query


@dataclass(frozen=True, repr=False)
class QueryGraph:
    """Queries, how often each was asked, and the flow between them (rows sum to 1 or are empty)."""

    queries: list[str]
    count: Floats
    flow: Any  # csr_array

    def __repr__(self) -> str:
        return f"QueryGraph({len(self.queries)} queries, {self.flow.nnz} edges)"

    @cached_property
    def number(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self.queries)}

    @cached_property
    def terms(self) -> dict[str, Ints]:
        """The queries that hold each term."""
        holders: dict[str, list[int]] = {}
        for number, query in enumerate(self.queries):
            for term in set(query.split()):
                holders.setdefault(term, []).append(number)
        return {term: np.array(numbers) for term, numbers in holders.items()}

    @cached_property
    def back(self) -> Any:
        """The transposed flow: one step of a walk is `back @ u`."""
        return self.flow.T.tocsr()

    def save(self, path: str | Path) -> None:
        flow = self.flow.tocsr()
        with new_file(Path(path)) as file:
            np.savez_compressed(
                file,
                version=VERSION,
                queries="\n".join(self.queries).encode(),
                count=self.count,
                data=flow.data,
                indices=flow.indices,
                indptr=flow.indptr,
            )


def load_graph(path: str | Path) -> QueryGraph:
    """Read a graph, or say clearly why that is none."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            version = int(stored["version"])
            queries = bytes(stored["queries"].item()).decode().split("\n")
            count = stored["count"]
            flow = csr_array(
                (stored["data"], stored["indices"], stored["indptr"]), shape=(len(count), len(count))
            )
    except OSError as error:
        raise InputError(f"The graph {path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, AttributeError):
        raise InputError(f"{path} is not a query graph. Make one with: crowdlog recommend build") from None
    if version != VERSION:
        raise InputError(f"The graph {path} is of version {version}, this crowdlog reads {VERSION}.")
    return QueryGraph(queries, count, flow)


def graph_of_pairs(
    first: list[str], second: list[str], weight: Floats, asked: dict[str, float]
) -> QueryGraph:
    """A graph of pair counts and of queries with theirs; queries of pairs alone count as their pairs do."""
    names = sorted({*first, *second, *asked} - {_DASH, ""})
    if not names:
        raise InputError("The graph is empty: there is no query to recommend.")
    number = {name: at for at, name in enumerate(names)}
    a = np.array([number.get(text, -1) for text in first], np.int64)
    b = np.array([number.get(text, -1) for text in second], np.int64)
    good = (a >= 0) & (b >= 0) & (weight > 0)
    return graph_of_numbers(names, a[good], b[good], weight[good], asked)


def graph_of_numbers(
    names: list[str], a: Ints, b: Ints, weight: Floats, asked: dict[str, float]
) -> QueryGraph:
    n = len(names)
    counts = csr_array((weight, (a, b)), shape=(n, n))
    counts.sum_duplicates()
    out: Floats = np.asarray(counts.sum(axis=1))
    seen = np.maximum(out, np.asarray(counts.sum(axis=0)))
    count = np.array([asked.get(name, 0.0) for name in names])
    flow = (diags_array(1 / np.where(out > 0, out, 1)) @ counts).tocsr()
    return QueryGraph(names, np.maximum(np.maximum(count, seen), 0), flow)


def build_graph(path: str | Path) -> QueryGraph:
    """Of a store or of a release."""
    folder = Path(path)
    if (folder / "store.json").is_file():
        return _of_store(LogStore.open(folder))
    release = Release.open(folder)
    release.check()
    return _of_release(release)


def _of_release(release: Release) -> QueryGraph:
    queries: Any = release.table("queries")
    pairs: Any = release.table("pairs")
    asked: dict[str, float] = {}
    if queries is not None:
        asked = dict(zip(queries["query"].to_pylist(), queries["count"].to_pylist(), strict=True))
    if pairs is None or not pairs.num_rows:
        if not asked:
            raise InputError(f"The graph is empty: the release {release.path} has neither queries nor pairs.")
        return graph_of_pairs([], [], np.zeros(0), asked)
    weight = pairs["count"].to_numpy().astype(np.float64)
    return graph_of_pairs(pairs["query"].to_pylist(), pairs["next_query"].to_pylist(), weight, asked)


def _of_store(store: LogStore) -> QueryGraph:
    from crowdlog.measure.log_arrays import Impressions

    log = Impressions(store)
    query, session = log.query.astype(np.int64), log.session
    if not len(query):
        raise InputError(f"The graph is empty: the log {store.path} has no searches.")
    n = store.info.queries
    total = csr_array((n, n))
    for apart in range(1, WINDOW):
        pairs = np.flatnonzero((session[apart:] == session[:-apart]) & (query[apart:] != query[:-apart]))
        if not len(pairs):
            break
        ones = np.ones(len(pairs))
        total = total + csr_array((ones, (query[pairs], query[pairs + apart])), shape=(n, n))
    texts: Any = store.query_texts(np.arange(n))
    names: list[str] = texts.to_pylist()
    times = dict(zip(names, np.bincount(query, minlength=n).tolist(), strict=True))
    coo = total.tocoo()
    dash = names.index(_DASH) if _DASH in names else -1
    good = (coo.row != dash) & (coo.col != dash)
    return graph_of_numbers(names, coo.row[good], coo.col[good], coo.data[good], times)
