"""Session search: URLs for a whole session, from a walk over clicks and later queries (Zhang 2017, §4.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from crowdlog.utility.ragged import Lists, best_of_rows, from_rows, one_each
from crowdlog.utility.sequences import sessions_of
from crowdlog.utility.tables import SHIFT, Tables, pack
from crowdlog.utility.trial import DEPTH, Topics, Trial, run_trial
from crowdlog.utility.walk import Walk

if TYPE_CHECKING:
    from crowdlog.utility.context import Part, Settings
    from crowdlog.utility.events import Events

Bools = npt.NDArray[np.bool_]
METRICS = ("nDCG@10", "AP@100", "RR")
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
        from scipy.sparse import csr_array

        distinct, which = np.unique(queries.items, return_inverse=True)
        found = self._walk.rank(one_each(distinct))
        place = np.arange(len(found.items)) - np.repeat(found.offsets[:-1], found.lengths) + 1
        by_query = csr_array((1 / place, found.items, found.offsets), shape=(len(distinct), self._urls))
        age = queries.offsets[1:][queries.rows] - 1 - np.arange(len(queries.items))
        sessions = csr_array((GAMMA**age, which, queries.offsets), shape=(len(queries), len(distinct)))
        return best_of_rows((sessions @ by_query).tocsr(), DEPTH)


def topics_of(test: Events) -> Topics:
    """Sessions of several queries with at least one click; right is what was clicked in them."""
    sessions, numbers = sessions_of(test)
    clicked = (test.url >= 0) & np.isin(test.session, numbers)
    keys = np.unique(pack(np.searchsorted(numbers, test.session[clicked]), test.url[clicked]))
    with_click, rows = np.unique(keys // SHIFT, return_inverse=True)
    return Topics(sessions.take(with_click), from_rows(rows, keys % SHIFT, len(with_click)), np.arange(len(with_click)))


def measure(released: Tables, part: Part, settings: Settings) -> dict[str, Trial]:
    """Held-out sessions."""
    if released.clicks is None or part.original.clicks is None:
        return {}
    ours = SessionSearch(Walk(released.clicks, released.flow, part.sizes), part.sizes[1])
    original = SessionSearch(Walk(part.original.clicks, part.original.flow, part.sizes), part.sizes[1])
    return {"sessions": run_trial(topics_of(part.test), ours, original, METRICS, sample=settings.sample, seed=settings.seed)}
