"""URLs for a whole session, from a walk over clicks and later queries (Zhang 2017, §4.3.2)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from crowdlog.measure.ragged import Lists, best_of_rows, counting, one_each
from crowdlog.models.ranker import DEPTH
from crowdlog.models.walk import Walk
from crowdlog.types import Bools

GAMMA = 0.92  # the study says only "close to 1"; the value is our choice


class SessionSearch:
    """score(session, d) = Σ γ^(n−i) / (place of d for the i-th query)."""

    def __init__(self, walk: Walk, urls: int) -> None:
        self._walk = walk
        self._urls = urls

    def knows(self, queries: Lists) -> Bools:
        """Any query of the session has a click or a follower."""
        return self._walk.knows(queries)

    def rank(self, queries: Lists) -> Lists:
        distinct, which = np.unique(queries.items, return_inverse=True)
        found = self._walk.rank(one_each(distinct))
        place = counting(found.lengths) + 1
        by_query = csr_array((1 / place, found.items, found.offsets), shape=(len(distinct), self._urls))
        age = queries.offsets[1:][queries.rows] - 1 - np.arange(len(queries.items))
        sessions = csr_array((GAMMA**age, which, queries.offsets), shape=(len(queries), len(distinct)))
        return best_of_rows((sessions @ by_query).tocsr(), DEPTH)
