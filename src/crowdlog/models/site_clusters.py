"""Websites that people reach by the same queries belong together (Zhang 2017, §6.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from crowdlog.types import Ints

CUT = 0.5


def clusters(clicks: Any) -> Ints:
    """The number of the cluster of each site (a column).

    Single link cut at 0.5: connected by similarities above.
    """
    _n, labels = connected_components(similarity(clicks) >= CUT, directed=False)
    numbers: Ints = labels.astype(np.int64)
    return numbers


def similarity(clicks: Any) -> Any:
    """Sim(v, w): the smaller of the shares of v's and w's clicks that come from queries leading to both."""
    reached = (clicks > 0).astype(np.float64)
    total = np.maximum(clicks.sum(axis=0), 1e-300)
    # Row v, column w: the share of w's clicks from queries that also lead to v.
    from_common = (reached.T @ clicks).toarray() / total
    return np.minimum(from_common, from_common.T)
