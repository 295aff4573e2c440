"""Ad-hoc search: rank URLs for a query by the released clicks; right is what held-out people clicked (Zhang
2017, §3.4).

Scored per search first: every search with a click counts, and right is what was clicked in it. That is what
the printed values fit. Then per distinct query: each counts once, and right is all that was clicked for it.
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
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.paired_scores import PairedScores, Topics, compare_rankers

METRICS = ("nDCG@10", "AP@100", "P@5", "P@10", "R@10", "RR")


PER_QUERY = "per-query"  # in the names of scores that count each distinct query once


def topics_of(test: LogArrays) -> Topics:
    """Every query that was clicked for, with all URLs clicked for it."""
    clicked = test.url >= 0
    query, url = unpack(np.unique(pack(test.query[clicked], test.url[clicked])))
    queries, rows = np.unique(query, return_inverse=True)
    return Topics(one_each(queries), from_rows(rows, url, len(queries)), np.arange(len(queries)))


def searches_of(test: LogArrays) -> Topics:
    """Every search with a click, and what was clicked in it: rows of the same user, time and query."""
    clicked = test.url >= 0
    columns = [column[clicked] for column in (test.url, test.time, test.user, test.query)]
    order = np.lexsort(columns)
    url, *search = (column[order] for column in columns)
    new = np.ones(len(order), bool)
    new[1:] = np.logical_or.reduce([np.diff(column) != 0 for column in search])
    number = np.cumsum(new) - 1
    first_time = new.copy()  # a URL clicked twice in one search is one answer
    first_time[1:] |= np.diff(url) != 0
    searches = int(number[-1]) + 1 if len(number) else 0
    answers = from_rows(number[first_time], url[first_time], searches)
    return Topics(one_each(search[-1][new]), answers, np.arange(searches))


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
    """Search with the models of these names, per search and per distinct query."""
    if released.clicks is None or fold.original.clicks is None:
        return {}
    units = {"": searches_of(fold.test), f":{PER_QUERY}": topics_of(fold.test)}
    known, found = models(fold), {}
    for name in which:
        ours = known[name](released.clicks, released.pairs or released.flow)
        original = known[name](fold.original.clicks, fold.original.pairs)
        for unit, topics in units.items():
            found[f"adhoc:{name}{unit}"] = compare_rankers(
                topics, ours, original, METRICS, sample=settings.sample, seed=settings.seed
            )
    return found
