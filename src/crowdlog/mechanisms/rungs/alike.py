"""Pairs of released queries that people are likely to ask one after the other, by their texts alone."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from crowdlog.mechanisms.rungs.classes import squashed
from crowdlog.types import Ints

MOST_ALIKE = 20  # a word or a name of more queries than these says little of any two of them


def alike(queries: list[str]) -> Ints:
    """The cells query · |queries| + other query, in rising order, of two that share a word or are called like
    one site (`google`, `www.google.com`, `google.net`).
    """
    groups: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        name = squashed(query.removeprefix("http://")).partition(".")[0]
        for mark in {*query.split(), f"{name} "}:  # no word ends with a blank
            groups.setdefault(mark, []).append(place)
    some = (group for group in groups.values() if len(group) <= MOST_ALIKE)
    cells = {one * len(queries) + other for group in some for one, other in permutations(group, 2)}
    return np.array(sorted(cells), np.int64)
