"""Random walks on the graph of queries and URLs (after Craswell & Szummer 2007; Zhang 2017, §3.4, §4.3.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from crowdlog.measure.ragged import Lists, best_of_rows, joined_lists
from crowdlog.measure.tables import KeyCounts
from crowdlog.models.ranker import DEPTH
from crowdlog.types import Bools

SELF = 0.1  # s: the chance to stay, Zhang 2017 §3.4
# Not given there. A click ends the walk, so three steps see the clicks of a query, of its followers and of
# theirs.
STEPS = 3
# A query reached with a smaller chance is not followed further, which keeps a step sparse. On 2,000 queries
# of a
# synthetic log nDCG@10 was .7440 with 1e-4 and .7445 with this.
FOLLOWED = 1e-3
BATCH = 2000  # queries walked from at once


class Walk:
    """Where a walk from a query ends. URLs have no way out, so what reaches them stays."""

    def __init__(
        self,
        clicks: KeyCounts,
        pairs: KeyCounts | None,
        sizes: tuple[int, int],
        *,
        impact: bool = False,
        followed: float = FOLLOWED,
    ) -> None:
        n, urls = sizes
        to_urls = clicks.matrix((n, urls))
        to_queries = pairs.matrix((n, n)) if pairs is not None else csr_array((n, n))
        out = to_urls.sum(axis=1) + to_queries.sum(axis=1)
        self._connected: Bools = out > 0
        leave = diags_array(np.where(out > 0, (1 - SELF) / np.where(out > 0, out, 1), 0.0))
        to_urls, stay = (leave @ to_urls).tocsr(), np.full(n, SELF)
        to_queries = (leave @ to_queries).tocsr()
        if impact:
            to_urls, to_queries, stay = _with_impact(clicks.matrix((n, urls)), to_urls, to_queries, stay)
        self._to_urls = to_urls
        self._to_queries = (to_queries + diags_array(stay)).tocsr()
        self._followed = followed

    def knows(self, queries: Lists) -> Bools:
        rows = queries.rows[self._connected[queries.items]]
        return np.bincount(rows, minlength=len(queries)) > 0

    def rank(self, queries: Lists, steps: int = STEPS, depth: int = DEPTH) -> Lists:
        """The URLs of each list's first query by the chance that the walk ends there."""
        starts, which = np.unique(queries.items[queries.offsets[:-1]], return_inverse=True)
        batches = (starts[i : i + BATCH] for i in range(0, len(starts), BATCH))
        return joined_lists([best_of_rows(self.ends(batch, steps), depth) for batch in batches]).take(which)

    def ends(self, starts: Any, steps: int = STEPS) -> Any:
        """The chance of being at each URL after so many steps: one row per start."""
        n = self._to_queries.shape[0]
        at = csr_array((np.ones(len(starts)), starts, np.arange(len(starts) + 1)), shape=(len(starts), n))
        ended = at @ self._to_urls
        for _step in range(steps - 1):
            at = at @ self._to_queries
            at.data[at.data < self._followed] = 0
            at.eliminate_zeros()
            ended = ended + at @ self._to_urls
        return ended.tocsr()


def _with_impact(clicks: Any, to_urls: Any, to_queries: Any, stay: Any) -> tuple[Any, Any, Any]:
    """P' ∝ F · P with F = 1 + log(1 + clicks) for URLs and 1 for queries (Zhang 2017, eq. 3.6, 3.7).

    Each row is made to sum to 1 again.
    """
    factor = 1 + np.log1p(clicks.sum(axis=0))
    to_urls = to_urls @ diags_array(factor)
    whole = to_urls.sum(axis=1) + to_queries.sum(axis=1) + stay
    again = diags_array(1 / whole)
    return (again @ to_urls).tocsr(), (again @ to_queries).tocsr(), stay / whole
