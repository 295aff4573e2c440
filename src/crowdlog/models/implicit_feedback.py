"""IF: URLs by released clicks and by the place at which people found them (Zhang 2017, §3.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from crowdlog.measure.ragged import Lists, best_of_rows, counting
from crowdlog.measure.tables import KeyCounts
from crowdlog.models.ranker import DEPTH
from crowdlog.types import Bools

LAMBDA = 0.6  # weight of the feedback, Zhang 2017 §3.4


class ImplicitFeedback:
    """IF: merge the order by clicks (O) with the place at which people found what they clicked (I).

    `feedback`: queries by URLs, the mean rank at which each was clicked; 0 where it is not known.
    """

    def __init__(self, clicks: KeyCounts, feedback: Any, sizes: tuple[int, int]) -> None:
        self._clicks = clicks.matrix(sizes)
        self._feedback = feedback

    def knows(self, queries: Lists) -> Bools:
        found: Bools = np.diff(self._clicks.indptr)[queries.items] > 0
        return found

    def rank(self, queries: Lists) -> Lists:
        asked, which = np.unique(queries.items, return_inverse=True)
        ordered = best_of_rows(self._clicks[asked], self._clicks.shape[1])
        place = counting(ordered.lengths) + 1
        rows = asked[ordered.rows]
        shown = np.asarray(self._feedback[rows, ordered.items]).ravel() if len(place) else np.zeros(0)
        score = np.where(shown > 0, LAMBDA / (shown + 1) + (1 - LAMBDA) / (place + 1), 1 / (place + 1))
        return best_of_rows(
            csr_array((score, ordered.items, ordered.offsets), shape=(len(asked), self._clicks.shape[1])),
            DEPTH,
        ).take(which)
