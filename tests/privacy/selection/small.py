"""Small logs for selections."""

from __future__ import annotations

import numpy as np

from crowdlog.privacy.histories import Histories
from crowdlog.privacy.selection.incidence import Incidence


def make(sets: list[list[int]], size: int) -> Incidence:
    """An incidence from the users' sets."""
    users = np.repeat(np.arange(len(sets)), [len(s) for s in sets])
    return Histories.from_rows(users, np.array([item for s in sets for item in s], np.int64), size).distinct()


def skewed(users: int = 4000, seed: int = 3) -> Incidence:
    """Users with up to 300 items each, popular and rare ones."""
    rng = np.random.default_rng(seed)
    lengths = np.minimum(1 + rng.pareto(0.9, users) * 4, 300).astype(np.int64)
    items = np.minimum(rng.pareto(0.6, int(lengths.sum())) * 10, 59_999).astype(np.int64)
    return Histories.from_rows(np.repeat(np.arange(users), lengths), items, 60_000).distinct()
