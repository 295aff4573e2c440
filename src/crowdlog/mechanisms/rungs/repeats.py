"""How often a person who asks a released query asks it: one factor for each of three bands of queries, so
that numbers of people can be read as numbers of searches.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.breakdowns import BANDS, REPEAT_CAPS, REPEATS
from crowdlog.mechanisms.rungs.people import People
from crowdlog.types import Ints


def released_bands(people: Mapping[str, People]) -> Ints:
    """The band of each shown query: by the order of its noisy number of people, which is public."""
    if "queries" not in people:
        return np.zeros(0, np.int64)
    count = people["queries"].count
    place = np.empty(len(count), np.int64)
    place[np.argsort(-count, kind="stable")] = np.arange(len(count))
    return np.searchsorted(BANDS, place, side="right")


def searches_each(
    people: Mapping[str, People], bands: Ints, breakdowns: Mapping[str, pa.Table]
) -> dict[str, float]:
    """Searches for each person of a query, by band: from published numbers alone."""
    if "repeats" not in breakdowns or "queries" not in people:  # no query is released: nobody's searches
        return {}
    searches = breakdowns["repeats"]["count"].to_numpy() * np.array(REPEAT_CAPS)
    holders = [float(people["queries"].count[bands == band].sum()) for band in range(len(REPEATS))]
    return {
        f"searches for each person, queries {name}": round(max(1.0, float(found) / own), 2)
        for name, found, own in zip(REPEATS, searches, holders, strict=True)
        if own > 0
    }
