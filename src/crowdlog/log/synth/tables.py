"""Distributions as tables of quantiles: a draw is one look-up, fast and the same on every machine."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from crowdlog.log.synth.arrays import F64, I32

# New queries per user: quartiles 4, 12, 34 and mean 33.65 (spec 0); the points between them follow a line in
# the logarithm.
_QUERIES = (
    (0.0, 1.0),
    (0.03, 1.0),
    (0.25, 4.0),
    (0.5, 12.0),
    (0.75, 34.0),
    (0.9, 80.0),
    (0.97, 165.0),
    (0.99, 275.0),
    (0.999, 680.0),
    (1.0, 2400.0),
)
MOST_QUERIES = 2400
# Share of clicks at each rank 1 … 10 of a search that aims at no site, then what lies beyond. With the sites,
# whose clicks are at rank 1, ranks 1, 2, 3 have the 42, 12 and 8 % of AOL's clicks.
_RANKS = (0.205, 0.188, 0.127, 0.093, 0.075, 0.061, 0.051, 0.045, 0.039, 0.038)
_DEEPEST = 60
# How the day is used: relative number of searches in each hour, low at night, high in the evening.
_HOURS = (30, 20, 13, 9, 8, 9, 14, 22, 33, 42, 48, 52, 54, 55, 56, 57, 58, 58, 60, 64, 66, 64, 56, 43)
# Median seconds to the next search (a real log's median of all gaps is 92) and to the next page.
SEARCH_GAP = 150.0
PAGE_GAP = 50.0
FIRST_DAY = np.datetime64("2006-03-01")  # AOL's log covers March to May 2006
DAYS = 92


def _middles(n: int) -> F64:
    return (np.arange(n) + 0.5) / n


def queries_per_user() -> I32:
    """Number of new queries of a user."""
    shares, counts = zip(*_QUERIES, strict=True)
    logarithms: F64 = np.interp(_middles(1 << 16), np.array(shares), np.log(np.array(counts)))
    return np.floor(np.exp(logarithms) + 0.5).astype(np.int32)


def gaps(median: float) -> I32:
    """Seconds between two events of one session: at most 25 minutes, so never past the 26-minute time-out."""
    normal = NormalDist()
    quantiles = np.array([normal.inv_cdf(share) for share in _middles(4096).tolist()])
    seconds = median * np.exp(1.35 * quantiles)
    return np.clip(seconds, 2, 1500).astype(np.int32)


def seconds_of_day() -> I32:
    """When in the day a session starts."""
    edges = np.concatenate([[0.0], np.cumsum(_HOURS) / sum(_HOURS)])
    seconds: F64 = np.interp(_middles(1 << 14), edges, np.arange(25) * 3600.0)
    return seconds.astype(np.int32)


def ranks() -> I32:
    """Rank of a clicked result."""
    shares = np.concatenate([[0.0], np.cumsum(_RANKS)])
    u = _middles(4096)
    rank = np.searchsorted(shares, u, side="right")
    deep = u >= shares[-1]
    rank[deep] = 11 + ((u[deep] - shares[-1]) / (1 - shares[-1])) ** 2 * (_DEEPEST - 11)
    return rank.astype(np.int32)


def days() -> list[str]:
    """The dates as text, with some days beyond the end."""
    return [str(FIRST_DAY + np.timedelta64(day, "D")) for day in range(DAYS + 30)]
