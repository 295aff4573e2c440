"""SRP: which share of a user's interests is left, by level of a tree of categories (Erola 2013, §5.4.4).

A query counts with the first category of each of its words, cut at the level. Of each category as many count
as the user and her record have in common; users whose queries do not reach the level are left out. If nobody
in a cluster of k had anything in common, it would be 1/k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.measure.categories import at_level, query_categories
from crowdlog.measure.draws import generator
from crowdlog.measure.intervals import bootstrap_mean
from crowdlog.measure.tables import Tables
from crowdlog.types import Floats
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score

LEVELS = 5  # only 57 % of the paper's queries reach level 5 (§5.4.4.3)


def measure(released: Tables, _truth: Truth, settings: MeasureSettings) -> list[Score]:
    """One score a level."""
    found = []
    for level, remains in remaining(released.histories, settings.tree).items():
        value = float(remains.mean()) if len(remains) else None
        interval = bootstrap_mean(remains, generator(settings.seed))
        found.append(Score(f"srp:level {level}", value, len(remains), interval))
    return found


def remaining(histories: Any, tree: str, categories: int = 1) -> dict[int, Floats]:
    """SRP of each user who has something at the level."""
    found_tree, matrix = query_categories(histories.log.store, tree, categories)
    own = histories.own @ matrix
    shown = histories.known @ matrix
    found = {}
    for level in range(1, LEVELS + 1):
        cut = at_level(found_tree, level)
        mine = (own @ cut).tocsr()
        common = mine.minimum(shown @ cut).sum(axis=1)
        size = mine.sum(axis=1)
        found[level] = np.asarray(common[size > 0] / size[size > 0], np.float64)
    return found
