"""The query-flow graph and the term–query graph of a log or of a release, in one file.

Edges of the flow: ordered pairs of a session, at most 29 searches apart, or the pairs that a release
publishes. The out-going edges of a query sum to 1. A term is a word of a query; it points to every query that
holds it.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array, diags_array

from crowdlog.applications.logs import opened_log
from crowdlog.applications.recommendation.crowd_words import CrowdWords, words_of_queries, words_of_tables
from crowdlog.errors import InputError
from crowdlog.files.private import owners_file
from crowdlog.json_safe import strict_json
from crowdlog.log.normalise import compute
from crowdlog.log.store import LogStore
from crowdlog.release.folder import Release
from crowdlog.types import Floats, Ints

VERSION = 2  # 1: without words
WINDOW = 30  # searches, Feild 2013 §6.4
_DASH = "-"  # AOL's scrubbed query
# What reading a damaged file can raise; a RuntimeError if it is encrypted.
_DAMAGED = (
    *(OSError, ValueError, KeyError, AttributeError, TypeError, EOFError, RuntimeError, OverflowError),
    *(BadZipFile, zlib.error, TokenError),
)


@dataclass(frozen=True, repr=False)
class QueryGraph:
    """Queries, how often each was asked, and the flow between them (rows sum to 1 or are empty).

    `named`: words that a release names beside its queries.
    """

    queries: list[str]
    count: Floats
    flow: Any  # csr_array
    named: CrowdWords | None = None

    def __repr__(self) -> str:
        return f"QueryGraph({len(self.queries)} queries, {self.flow.nnz} edges)"

    @cached_property
    def number(self) -> dict[str, int]:
        return {query: number for number, query in enumerate(self.queries)}

    @cached_property
    def terms(self) -> dict[str, Ints]:
        """The queries that hold each term, in their order."""
        words = compute.split_pattern(pa.array(self.queries, pa.large_string()), " ")
        query: Ints = np.asarray(compute.list_parent_indices(words)).astype(np.int64)
        coded = words.flatten().dictionary_encode()
        term: Ints = np.asarray(coded.indices).astype(np.int64)
        held = np.unique(term * len(self.queries) + query)
        term, query = np.divmod(held, len(self.queries))
        starts = np.flatnonzero(np.diff(term, prepend=-1))
        parts = np.split(query, starts[1:])
        return dict(zip(coded.dictionary.take(term[starts]).to_pylist(), parts, strict=True))

    @cached_property
    def words(self) -> CrowdWords:
        """The words of the crowd: those that a release names, else those inside of the queries."""
        return self.named or words_of_queries(self.queries, self.count.tolist())

    @cached_property
    def back(self) -> Any:
        """The transposed flow: one step of a walk is `back @ u`."""
        return self.flow.T.tocsr()

    def save(self, path: str | Path) -> None:
        """For the owner alone: that of a store has all of its queries."""
        flow = self.flow.tocsr()
        with owners_file(Path(path)) as file:
            np.savez_compressed(
                file,
                version=VERSION,
                queries="\n".join(self.queries).encode(),
                count=self.count,
                data=flow.data,
                indices=flow.indices,
                indptr=flow.indptr,
                named=json.dumps(None if self.named is None else self.named.as_json()).encode(),
            )


def load_graph(path: str | Path) -> QueryGraph:
    """Read a graph, or say clearly why that is none."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            version = int(_numbers(stored, "version", "iu"))
            if version == VERSION:
                return _stored_graph(stored)
    except MemoryError:  # it is so large, or says so
        raise InputError(f"The graph {path} cannot be read: it needs more memory than there is.") from None
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.strerror:
            raise InputError(f"The graph {path} cannot be read: {error.strerror}.") from None
        raise InputError(f"{path} is not a query graph. Make one with: crowdlog recommend build") from None
    raise InputError(f"The graph {path} is of version {version}, this crowdlog reads {VERSION}.")


def _numbers(stored: Any, name: str, kinds: str) -> Any:
    """An array of these kinds of dtype; ValueError for another, which would be cut to one of them."""
    array = stored[name]
    if array.dtype.kind not in kinds:
        raise ValueError("numbers of another kind")
    return array


def _stored_graph(stored: Any) -> QueryGraph:
    """The graph of a file's arrays; ValueError where they are none, because the kernels do not look."""
    queries = bytes(stored["queries"].item()).decode().split("\n")
    count, data = (_numbers(stored, name, "iuf").astype(np.float64) for name in ("count", "data"))
    places = (_numbers(stored, name, "iu") for name in ("indices", "indptr"))
    n = len(queries)
    flow = csr_array((data, *places), shape=(n, n))
    flow.check_format(full_check=True)
    out = np.asarray(flow.sum(axis=1))
    if count.shape != (n,) or not (np.isfinite(count).all() and (count >= 0).all()):
        raise ValueError("counts that are none")
    if not ((data >= 0).all() and (out <= 1 + 1e-6).all()):  # false of what is no number, too
        raise ValueError("a flow out of a query that is more than all of it")
    named = strict_json(bytes(stored["named"].item()))
    return QueryGraph(queries, count, flow, None if named is None else CrowdWords.of_json(named))


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
    count = np.array([asked.get(name, 0.0) for name in names])
    return graph_of_numbers(names, a[good], b[good], weight[good], count)


def graph_of_numbers(names: list[str], a: Ints, b: Ints, weight: Floats, count: Floats) -> QueryGraph:
    n = len(names)
    counts = csr_array((weight, (a, b)), shape=(n, n))
    counts.sum_duplicates()
    out: Floats = np.asarray(counts.sum(axis=1))
    seen = np.maximum(out, np.asarray(counts.sum(axis=0)))
    flow = (diags_array(1 / np.where(out > 0, out, 1)) @ counts).tocsr()
    return QueryGraph(names, np.maximum(np.maximum(count, seen), 0), flow)


def build_graph(path: str | Path) -> QueryGraph:
    """Of a store, of a log that is read for it (`-` is standard input), or of a release."""
    folder = Path(path)
    if (folder / "store.json").is_file() or folder.is_file() or str(path) == "-":
        with opened_log(path, "recommend") as store:
            return graph_of_store(store)
    release = Release.open(folder)
    release.check()
    return graph_of_release(release)


def graph_of_release(release: Release) -> QueryGraph:
    queries: Any = release.table("queries")
    pairs: Any = release.table("pairs")
    asked: dict[str, float] = {}
    if queries is not None:
        asked = dict(zip(queries["query"].to_pylist(), queries["count"].to_pylist(), strict=True))
    first, second, weight = [], [], np.zeros(0)
    if pairs is not None:
        first, second = pairs["query"].to_pylist(), pairs["next_query"].to_pylist()
        weight = pairs["count"].to_numpy().astype(np.float64)
    if not asked and not first:
        raise InputError(f"The graph is empty: the release {release.path} has neither queries nor pairs.")
    graph = graph_of_pairs(first, second, weight, asked)
    inside = words_of_queries(graph.queries, graph.count.tolist())
    named = words_of_tables(release.table("words"), release.table("word_pairs"), inside)
    return replace(graph, named=named)


def graph_of_store(store: LogStore) -> QueryGraph:
    from crowdlog.measure.log_arrays import Impressions

    log = Impressions(store)
    query, session = log.query.astype(np.int64), log.session
    n = store.info.queries
    texts: Any = store.query_texts(np.arange(n))
    named = np.asarray(compute.not_equal(texts, _DASH))
    if not named.any():
        raise InputError("The graph is empty: the log has no searches, or only scrubbed ones (-).")
    total = csr_array((n, n))
    for apart in range(1, WINDOW):
        pairs = np.flatnonzero((session[apart:] == session[:-apart]) & (query[apart:] != query[:-apart]))
        if not len(pairs):
            break
        ones = np.ones(len(pairs))
        total = total + csr_array((ones, (query[pairs], query[pairs + apart])), shape=(n, n))
    times = np.bincount(query, minlength=n).astype(np.float64)
    coo = total.tocoo()
    good = named[coo.row] & named[coo.col]
    number = np.cumsum(named) - 1
    a, b = number[coo.row[good]], number[coo.col[good]]
    return graph_of_numbers(texts.filter(pa.array(named)).to_pylist(), a, b, coo.data[good], times[named])
