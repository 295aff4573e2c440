"""Session search: which URLs are clicked in held-out sessions (Zhang 2017, §4.3.2)."""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.measure.log_arrays import LogArrays
from crowdlog.measure.ragged import from_rows
from crowdlog.measure.tables import Tables
from crowdlog.models.session_search import SessionSearch
from crowdlog.models.walk import Walk
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.paired_scores import PairedScores, Topics, compare_rankers
from crowdlog.utility.sequences import sessions_of

METRICS = ("nDCG@10", "AP@100", "RR")


def topics_of(test: LogArrays) -> Topics:
    """Sessions of several queries with at least one click; right is what was clicked in them."""
    sessions, numbers = sessions_of(test)
    clicked = (test.url >= 0) & np.isin(test.session, numbers)
    place = np.searchsorted(numbers, test.session[clicked])
    session, url = unpack(np.unique(pack(place, test.url[clicked])))
    with_click, rows = np.unique(session, return_inverse=True)
    return Topics(
        sessions.take(with_click), from_rows(rows, url, len(with_click)), np.arange(len(with_click))
    )


def measure(released: Tables, fold: Fold, settings: MeasureSettings) -> dict[str, PairedScores]:
    """Held-out sessions."""
    if released.clicks is None or fold.original.clicks is None:
        return {}
    ours = SessionSearch(Walk(released.clicks, released.flow, fold.sizes), fold.sizes[1])
    original = SessionSearch(Walk(fold.original.clicks, fold.original.flow, fold.sizes), fold.sizes[1])
    return {
        "sessions": compare_rankers(
            topics_of(fold.test), ours, original, METRICS, sample=settings.sample, seed=settings.seed
        )
    }
