"""The impressions of a log: who asked what, when, and how often."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.measure.log_arrays import LogArrays, read_column
from crowdlog.measure.vocabulary import TextIds
from crowdlog.types import Bools, Ints

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore


class Impressions(LogArrays):
    """The rows of a store that are impressions, with the profile of each user and the ids of texts."""

    def __init__(self, store: LogStore) -> None:
        super().__init__(partial(read_column, store, SESSION_MINUTES, impressions=True))
        self.store = store

    @property
    def users(self) -> int:
        return self.store.info.users

    @property
    def queries(self) -> int:
        return self.store.info.queries

    @cached_property
    def follows(self) -> Bools:
        """Which impressions are in the session of the impression before."""
        same = np.zeros(len(self), bool)
        same[1:] = self.session[1:] == self.session[:-1]
        return same

    @cached_property
    def profile(self) -> Any:
        """Users by queries: how often each user asked each query, as a sparse matrix."""
        return count_matrix(self.user, self.query, (self.users, self.queries))

    @cached_property
    def holders(self) -> Ints:
        """How many users asked each query."""
        return np.bincount(self.profile.indices, minlength=self.queries)

    @cached_property
    def texts(self) -> TextIds:
        """The texts of all queries."""
        return TextIds(self.store.query_texts(np.arange(self.queries)))

    def ids(self, texts: Any) -> Ints:
        """The id of each query text, −1 for texts that the log does not have."""
        return self.texts.find(texts)


def count_matrix(row: Ints, column: Ints, shape: tuple[int, int]) -> Any:
    """How often each (row, column) occurs, as a sparse matrix with sorted indices."""
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(len(row), np.int64), (row, column)), shape=shape)
    matrix.sum_duplicates()
    return matrix
