"""Ad-hoc search: rank URLs for a query by the released clicks; right is what held-out people clicked (Zhang 2017, §3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.utility.ragged import Lists, best_of_rows, from_rows, one_each
from crowdlog.utility.tables import SHIFT, Counted, Tables, counted, pack
from crowdlog.utility.trial import DEPTH, Ranker, Topics, Trial, run_trial
from crowdlog.utility.walk import Walk

if TYPE_CHECKING:
    from crowdlog.utility.context import Part, Settings
    from crowdlog.utility.events import Events

Bools = npt.NDArray[np.bool_]
METRICS = ("nDCG@10", "AP@100", "P@5", "P@10", "R@10", "RR")
LAMBDA = 0.6  # weight of the feedback, Zhang 2017 §3.4


class ImplicitFeedback:
    """IF: merge the order by clicks (O) with the place at which people found what they clicked (I)."""

    def __init__(self, clicks: Counted, feedback: Any, sizes: tuple[int, int]) -> None:
        self._clicks = clicks.matrix(sizes)
        self._feedback = feedback

    def knows(self, queries: Lists) -> Bools:
        found: Bools = np.diff(self._clicks.indptr)[queries.items] > 0
        return found

    def rank(self, queries: Lists) -> Lists:
        from scipy.sparse import csr_array

        ordered = best_of_rows(self._clicks[queries.items], self._clicks.shape[1])
        place = np.arange(len(ordered.items)) - np.repeat(ordered.offsets[:-1], ordered.lengths) + 1
        shown = np.asarray(self._feedback[queries.items[ordered.rows], ordered.items]).ravel() if len(place) else np.zeros(0)
        score = np.where(shown > 0, LAMBDA / (shown + 1) + (1 - LAMBDA) / (place + 1), 1 / (place + 1))
        return best_of_rows(csr_array((score, ordered.items, ordered.offsets), shape=(len(queries), self._clicks.shape[1])), DEPTH)


def topics_of(test: Events) -> Topics:
    """Every query that was clicked for, with the URLs clicked."""
    clicked = test.url >= 0
    keys = np.unique(pack(test.query[clicked], test.url[clicked]))
    queries, rows = np.unique(keys // SHIFT, return_inverse=True)
    return Topics(one_each(queries), from_rows(rows, keys % SHIFT, len(queries)), np.arange(len(queries)))


def feedback_of(test: Events, sizes: tuple[int, int]) -> Any:
    """The mean rank at which each URL was clicked for each query. The study takes it from the test part; so do we."""
    known = (test.url >= 0) & (test.rank > 0)
    key = pack(test.query[known], test.url[known])
    total, times = counted(key, test.rank[known].astype(np.float64)), counted(key)
    return Counted(total.key, total.count / times.count).matrix(sizes)


def models(part: Part) -> dict[str, Callable[[Counted, Counted | None], Ranker]]:
    """RW, RW-2 and IF: each makes a ranker from a table of clicks and one of pairs."""
    feedback, sizes = feedback_of(part.test, part.sizes), part.sizes
    return {
        "RW": lambda clicks, pairs: Walk(clicks, pairs, sizes),
        "RW-2": lambda clicks, pairs: Walk(clicks, pairs, sizes, impact=True),
        "IF": lambda clicks, _pairs: ImplicitFeedback(clicks, feedback, sizes),
    }


def measure(released: Tables, part: Part, settings: Settings, which: Sequence[str] = ("RW", "RW-2", "IF")) -> dict[str, Trial]:
    """Search with the models of these names."""
    if released.clicks is None or part.original.clicks is None:
        return {}
    topics, known, trials = topics_of(part.test), models(part), {}
    for name in which:
        ours = known[name](released.clicks, released.pairs or released.flow)
        original = known[name](part.original.clicks, part.original.pairs)
        trials[f"adhoc:{name}"] = run_trial(topics, ours, original, METRICS, sample=settings.sample, seed=settings.seed)
    return trials
