"""Searches made by hand, as the kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.applications.tasks.find import SearchBlock
from crowdlog.applications.tasks.pair_features import PeopleSearches
from crowdlog.applications.tasks.texts import encode_texts


def block_of(searches: list[dict[str, Any]]) -> SearchBlock:
    """One person's searches: query, time and perhaps sites."""
    names = sorted({site for search in searches for site in search.get("sites", [])})
    sites = [sorted({names.index(site) for site in search.get("sites", [])}) for search in searches]
    at = np.cumsum([0, *map(len, sites)]).astype(np.int64)
    people = PeopleSearches(
        np.arange(len(searches)),
        np.array([search["time"] for search in searches], np.int64),
        at,
        np.array([site for one in sites for site in one], np.int64),
        encode_texts([search["query"] for search in searches]),
        np.zeros((0, 1)),
    )
    return SearchBlock(np.arange(len(searches)), np.array([0, len(searches)]), people)
