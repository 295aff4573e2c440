"""An independent check of k_Θ-anonymity: is every released query surrounded by k users within the release?

It shares with the mechanism only what defines affinity (concepts, weights, vectors). Pairs are found by a
plain sparse matrix product over the released queries and users are counted with Python sets: slow, but
nothing of the fast kernels is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.semantic.expansion import Expansion
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import Longs, Vectors

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore

_CELLS = 20_000_000  # cells of a product computed at a time: about 300 MB


@dataclass(frozen=True)
class Verdict:
    """What the check found; numbers only."""

    queries: int
    unknown: int  # released texts that are not in the log
    weak: int  # released queries with fewer than k users around them
    fewest_users: int  # around the weakest released query, counted up to k

    @property
    def holds(self) -> bool:
        """Whether the release is k_Θ-anonymous."""
        return self.unknown == 0 and self.weak == 0


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


def verify(log: LogStore, released: pa.Table, k: int, theta: float, min_users: int = 10) -> Verdict:
    """Check the `query` column of a release against the log it was made from."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = released["query"].combine_chunks().cast(pa.string())
    ids = pa.compute.index_in(texts, pq.read_table(log.queries(), columns=["text"])["text"].combine_chunks())
    known = np.unique(np.asarray(ids.drop_null(), np.int64))
    semantics, exact = Semantics(log, min_users), Theta.of(theta)
    around = np.array([len(users) for users in _own_users(semantics, known)], np.int64)
    if not exact.is_one:
        _count_around(semantics, known, exact, k, around)
    weak = int((around < k).sum())
    return Verdict(len(texts), ids.null_count, weak, min(int(around.min()), k) if len(around) else 0)


def _own_users(semantics: Semantics, queries: Longs) -> list[set[int]]:
    start, user = semantics.users.start, semantics.users.user
    return [set(user[start[q] : start[q + 1]].tolist()) for q in queries]


def _count_around(semantics: Semantics, queries: Longs, theta: Theta, k: int, around: Longs) -> None:
    """Overwrite the count of every comparable query by that of the released queries affine to it."""
    done: Expansion = semantics.expansion
    at = np.searchsorted(done.query, queries)
    place = np.flatnonzero((at < len(done.query)) & (np.append(done.query, -1)[at] == queries))
    vector = done.vectors.vector_of[at[place]]
    rows = np.unique(vector)
    users: dict[int, set[int]] = {}
    for v, own in zip(vector.tolist(), _own_users(semantics, queries[place]), strict=True):
        users.setdefault(v, set()).update(own)
    counted = np.zeros(len(rows), np.int64)
    for i, near in affine_by_product(done.vectors, rows.astype(np.int64), theta):
        counted[i] = _distinct((users[int(v)] for v in rows[near]), k)
    around[place] = counted[np.searchsorted(rows, vector)]


def _distinct(sets: Iterator[set[int]], enough: int) -> int:
    """How many users the sets hold together; no need to go on once there are enough."""
    together: set[int] = set()
    for users in sets:
        together |= users
        if len(together) >= enough:
            break
    return len(together)
