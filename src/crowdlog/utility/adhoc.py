"""Ad-hoc search: rank URLs for a query by the released clicks; right is what held-out people clicked (Zhang
2017, §3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.measure.log_arrays import LogArrays
from crowdlog.measure.ragged import from_rows, one_each
from crowdlog.measure.tables import KeyCounts, Tables, count_keys
from crowdlog.models.implicit_feedback import ImplicitFeedback
from crowdlog.models.ranker import Ranker
from crowdlog.models.walk import Walk
from crowdlog.types import Ints
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.paired_scores import PairedScores, Topics, compare_rankers

METRICS = ("nDCG@10", "AP@100", "P@5", "P@10", "R@10", "RR")


def topics_of(test: LogArrays) -> Topics:
    """Every query that was clicked for, with the URLs clicked, and how many searches for it had a click."""
    clicked = test.url >= 0
    query, url = unpack(np.unique(pack(test.query[clicked], test.url[clicked])))
    queries, rows = np.unique(query, return_inverse=True)
    answers = from_rows(rows, url, len(queries))
    return Topics(one_each(queries), answers, np.arange(len(queries)), _clicked_searches(test, queries))


def _clicked_searches(test: LogArrays, queries: Ints) -> Ints:
    """One search may have several clicks: they are rows of the same user, time and query."""
    clicked = test.url >= 0
    columns = [test.time[clicked], test.user[clicked], test.query[clicked]]
    order = np.lexsort(columns)  # by query, then user, then time
    new = np.ones(len(order), bool)
    if len(order):
        new[1:] = np.logical_or.reduce([np.diff(column[order]) != 0 for column in columns])
    asked = columns[2][order][new]
    times: Ints = np.bincount(np.searchsorted(queries, asked), minlength=len(queries)).astype(np.int64)
    return times


def feedback_of(test: LogArrays, sizes: tuple[int, int]) -> Any:
    """The mean rank at which each URL was clicked for each query.

    The study takes it from the test part; so do we.
    """
    known = (test.url >= 0) & (test.rank > 0)
    key = pack(test.query[known], test.url[known])
    total, times = count_keys(key, test.rank[known].astype(np.float64)), count_keys(key)
    return KeyCounts(total.key, total.count / times.count).matrix(sizes)


def models(fold: Fold) -> dict[str, Callable[[KeyCounts, KeyCounts | None], Ranker]]:
    """RW, RW-2 and IF: each makes a ranker from a table of clicks and one of pairs."""
    feedback, sizes = feedback_of(fold.test, fold.sizes), fold.sizes
    return {
        "RW": lambda clicks, pairs: Walk(clicks, pairs, sizes),
        "RW-2": lambda clicks, pairs: Walk(clicks, pairs, sizes, impact=True),
        "IF": lambda clicks, _pairs: ImplicitFeedback(clicks, feedback, sizes),
    }


def measure(
    released: Tables, fold: Fold, settings: MeasureSettings, which: Sequence[str] = ("RW", "RW-2", "IF")
) -> dict[str, PairedScores]:
    """Search with the models of these names."""
    if released.clicks is None or fold.original.clicks is None:
        return {}
    topics, known, found = topics_of(fold.test), models(fold), {}
    for name in which:
        ours = known[name](released.clicks, released.pairs or released.flow)
        original = known[name](fold.original.clicks, fold.original.pairs)
        found[f"adhoc:{name}"] = compare_rankers(
            topics, ours, original, METRICS, sample=settings.sample, seed=settings.seed
        )
    return found
