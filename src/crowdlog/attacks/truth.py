"""The log an attack is judged by, as arrays: who asked what, when. Loaded once for all attacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.artifacts.kinds import SESSION_MINUTES

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
SHIFT = 2**32  # a key of two numbers is first · 2³² + second


def pack(first: Any, second: Any) -> Ints:
    packed: Ints = np.asarray(first).astype(np.int64) * SHIFT + second
    return packed


@dataclass(frozen=True, repr=False)
class Truth:
    """Impressions only, in the order of the store: by user, then time."""

    store: LogStore
    user: Ints
    time: Ints
    query: Ints
    nth: Ints  # how many impressions of the user came before
    near: Bools  # in the same session as the impression before

    @classmethod
    def of(cls, store: LogStore) -> Truth:
        import pyarrow.parquet as pq

        table: Any = pq.read_table(store.events(), columns=["user", "time", "query", "nth_impression", "gap", "impression"])
        table = table.filter(table["impression"])
        user, time, query, nth = (table[name].to_numpy().astype(np.int64) for name in ("user", "time", "query", "nth_impression"))
        return cls(store, user, time, query, nth, table["gap"].fill_null(SHIFT).to_numpy() <= 60 * SESSION_MINUTES)

    def __repr__(self) -> str:
        return f"Truth({len(self.user)} impressions)"

    @property
    def users(self) -> int:
        return self.store.info.users

    @property
    def queries(self) -> int:
        return self.store.info.queries

    @cached_property
    def profile(self) -> Any:
        """Users by queries: how often each user asked each query, as a sparse matrix."""
        return count_matrix(self.user, self.query, (self.users, self.queries))

    @cached_property
    def holders(self) -> Ints:
        """How many users have each query."""
        return np.bincount(self.profile.indices, minlength=self.queries)

    @cached_property
    def texts(self) -> Any:
        """The text of each query, in the order of the ids."""
        return self.store.query_texts(np.arange(self.queries))

    def ids(self, texts: Any) -> Ints:
        """The query id of each text; −1 where the log does not have it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
        coded = column.cast(pa.string()).dictionary_encode()
        found: Any = pc.index_in(coded.dictionary, self.texts)
        ids: Ints = found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        known: Ints = ids[coded.indices.to_numpy()]
        return known


def count_matrix(row: Ints, column: Ints, shape: tuple[int, int]) -> Any:
    """How often each (row, column) occurs, as a sparse matrix with sorted indices."""
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(len(row), np.int64), (row, column)), shape=shape)
    matrix.sum_duplicates()
    return matrix
