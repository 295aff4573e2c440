"""An independent check of k_Θ-anonymity: is every released query surrounded by k users within the release?

It shares with the mechanism only what defines affinity (concepts, weights, vectors): a miner written
independently checks these in the tests. Counts, degrees, duplicates and rare words are checked, too. Pairs
are found by a plain sparse matrix product over the released queries and users are counted with Python sets:
slow, but nothing of the fast kernels is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.semantic.expansion import Expansion
from crowdlog.artifacts.semantic.proper_nouns import person_names
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import Longs, Vectors
from crowdlog.artifacts.semantic.word_rule import PAPER, WordRule

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore

_CELLS = 20_000_000  # cells of a product computed at a time: about 300 MB


@dataclass(frozen=True)
class Verdict:
    """What the check found; numbers only."""

    queries: int
    unknown: int  # released texts that are not in the log
    duplicates: int  # rows that repeat the text of another row
    wrong_counts: int  # counts that are not the number of impressions in the log
    wrong_degrees: int  # degrees below k, or above the number of users around the query within the release
    rare: int  # queries with a word that too few people typed, or a name, and fewer than k users of their own
    weak: int  # released queries with fewer than k users around them
    fewest_users: int  # around the weakest released query, counted up to k

    @property
    def holds(self) -> bool:
        """Whether the release is k_Θ-anonymous, with true counts and degrees."""
        return not self.faults()

    def faults(self) -> dict[str, int]:
        """What is wrong, in words, with how many queries."""
        said = {
            "are not in the log": self.unknown,
            "stand there twice": self.duplicates,
            "have a false count": self.wrong_counts,
            "have a false degree": self.wrong_degrees,
            "hold a word that too few people typed, or a name": self.rare,
            "have too few users around them": self.weak,
        }
        return {words: number for words, number in said.items() if number}


def affine_by_product(vectors: Vectors, rows: Longs, theta: Theta) -> Iterator[tuple[int, Longs]]:
    """For each of the given vectors, the positions in `rows` of those with cosine ≥ Θ (itself among them)."""
    matrix = _matrix(vectors, rows)
    across = matrix.T.tocsr()
    frequency = np.diff(across.indptr)
    cost = np.add.reduceat(frequency[matrix.indices], matrix.indptr[:-1]) if len(rows) else np.empty(0)
    cuts = np.searchsorted(np.cumsum(cost), np.arange(1, int(cost.sum()) // _CELLS + 1) * _CELLS)
    bounds = np.unique(np.concatenate([[0], cuts, [len(rows)]])).astype(int).tolist()
    total = vectors.total[rows]
    for begin, end in pairwise(bounds):
        product = (matrix[begin:end] @ across).tocsr()
        for i in range(begin, end):
            cells = slice(product.indptr[i - begin], product.indptr[i - begin + 1])
            near, overlap = product.indices[cells], product.data[cells]
            yield i, near[_at_least(overlap, total[i], total[near], theta)]


def _matrix(vectors: Vectors, rows: Longs) -> Any:
    from scipy.sparse import csr_array

    whole = csr_array(
        (np.sqrt(vectors.mass).astype(np.int64)[vectors.item], vectors.item, vectors.start),
        shape=(len(vectors), len(vectors.mass)),
    )
    return whole[rows]


def _at_least(overlap: Longs, p: int, q: Longs, theta: Theta) -> Any:
    """overlap²·den² ≥ num²·p·q: in floats where they are clear, else in Python's unbounded integers."""
    left = (overlap.astype(float) * theta.den) ** 2
    right = float(p) * q.astype(float) * theta.num**2
    answer = left > right
    for i in np.flatnonzero(np.abs(left - right) <= 1e-9 * right):
        answer[i] = (int(overlap[i]) * theta.den) ** 2 >= theta.num**2 * int(p) * int(q[i])
    return answer


def verify(
    log: LogStore,
    released: pa.Table,
    k: int,
    theta: float,
    min_users: int = 10,
    rule: WordRule = PAPER,
) -> Verdict:
    """Check the table of queries of a release against the log it was made from."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = released["query"].combine_chunks().cast(pa.string())
    every = pq.read_table(log.queries(), columns=["text"])["text"].combine_chunks()
    rows = np.asarray(pa.compute.index_in(texts, every).fill_null(-1), np.int64)
    known = np.unique(rows[rows >= 0])
    semantics, exact = Semantics(log, min_users, rule), Theta.of(theta)
    own = np.array([len(users) for users in _own_users(semantics, known)], np.int64)
    claimed = _degrees(released, rows, known)
    around = own.copy()
    if not exact.is_one:
        _count_around(semantics, known, exact, np.maximum(claimed, k), around)
    weak = int((around < k).sum())
    false_degree = (claimed < k) | (claimed > around) if "degree" in released.column_names else np.zeros(0)
    return Verdict(
        queries=len(texts),
        unknown=int((rows < 0).sum()),
        duplicates=len(texts) - len(texts.unique()),
        wrong_counts=_wrong_counts(log, released, rows),
        wrong_degrees=int(false_degree.sum()),
        rare=0 if exact.is_one else _rare(log, every, known, own, k, rule),
        weak=weak,
        fewest_users=min(int(around.min()), k) if len(around) else 0,
    )


def _degrees(released: pa.Table, rows: Longs, known: Longs) -> Longs:
    """The degree that the release claims for each known query, 0 if none.

    Of rows with one text, the largest.
    """
    found = np.zeros(len(known), np.int64)
    if "degree" in released.column_names:
        values = np.asarray(released["degree"], np.int64)
        np.maximum.at(found, np.searchsorted(known, rows[rows >= 0]), values[rows >= 0])
    return found


def _wrong_counts(log: LogStore, released: pa.Table, rows: Longs) -> int:
    """Rows whose count is not the number of times that the query was asked."""
    from crowdlog.log.parts import batches

    if "count" not in released.column_names:
        return 0
    asked = np.zeros(log.info.queries, np.int64)
    for batch in batches(log.events(), ["query", "impression"]):
        query = batch["query"].to_numpy()[batch["impression"].to_numpy(zero_copy_only=False)]
        asked += np.bincount(query, minlength=len(asked))
    counts = np.asarray(released["count"], np.int64)
    return int((counts[rows >= 0] != asked[rows[rows >= 0]]).sum())


def _rare(log: LogStore, every: Any, known: Longs, own: Longs, k: int, rule: WordRule) -> int:
    """Released queries of fewer than k users that hold a word the rule blocks: words and people are counted
    by SQL, with nothing of the miner.
    """
    import duckdb
    import pyarrow as pa

    from crowdlog.files.patterns import for_duckdb

    doubtful = known[own < k]
    if not len(doubtful):
        return 0
    # Words are text: nothing of them is written to disk where memory is short.
    with duckdb.connect(config={"temp_directory": ""}) as db:
        db.register("texts", pa.table({"query": np.arange(len(every)), "text": every}))
        db.register("doubtful", pa.table({"query": doubtful}))
        db.register("names", pa.table({"word": sorted(person_names()) if rule.names == "block" else ["\n"]}))
        words = "unnest(regexp_split_to_array(trim(text), '\\s+')) AS word"
        db.execute(f"CREATE TABLE held AS SELECT query, {words} FROM texts SEMI JOIN doubtful USING (query)")
        db.execute(f"CREATE TABLE every AS SELECT query, {words} FROM texts")
        events = _sql(for_duckdb(log.events()))
        (count,) = db.execute(
            f"""WITH typed AS (SELECT DISTINCT "user", query FROM read_parquet('{events}')),
            people AS (SELECT word, count(DISTINCT "user") AS n FROM every SEMI JOIN held USING (word)
                       JOIN typed USING (query) GROUP BY word)
            SELECT count(DISTINCT query) FROM held JOIN people USING (word)
            WHERE n < {int(rule.users)} OR word IN (SELECT word FROM names)"""
        ).fetchone() or (0,)
    return int(count)


def _sql(text: str) -> str:
    return text.replace("'", "''")


def _own_users(semantics: Semantics, queries: Longs) -> list[set[int]]:
    start, user = semantics.users.start, semantics.users.user
    return [set(user[start[q] : start[q + 1]].tolist()) for q in queries]


def _count_around(semantics: Semantics, queries: Longs, theta: Theta, enough: Longs, around: Longs) -> None:
    """Overwrite the count of every comparable query by that of the released queries affine to it, counted up
    to `enough`.
    """
    done: Expansion = semantics.expansion
    at = np.searchsorted(done.query, queries)
    place = np.flatnonzero((at < len(done.query)) & (np.append(done.query, -1)[at] == queries))
    vector = done.vectors.vector_of[at[place]]
    rows = np.unique(vector)
    users: dict[int, set[int]] = {}
    for v, own in zip(vector.tolist(), _own_users(semantics, queries[place]), strict=True):
        users.setdefault(v, set()).update(own)
    counted = np.zeros(len(rows), np.int64)
    most = np.zeros(len(rows), np.int64)
    np.maximum.at(most, np.searchsorted(rows, vector), enough[place])
    for i, near in affine_by_product(done.vectors, rows.astype(np.int64), theta):
        counted[i] = _distinct((users[int(v)] for v in rows[near]), int(most[i]))
    around[place] = counted[np.searchsorted(rows, vector)]


def _distinct(sets: Iterator[set[int]], enough: int) -> int:
    """How many users the sets hold together; no need to go on once there are enough."""
    together: set[int] = set()
    for users in sets:
        together |= users
        if len(together) >= enough:
            break
    return len(together)
