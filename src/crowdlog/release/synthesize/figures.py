"""How people of a release search, by its tables over public values; by published figures of AOL's log where
it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.breakdowns import CAP, HOURS, SHARES
from crowdlog.release.folder import Release
from crowdlog.types import Floats

CLICKED = 0.6  # of AOL's searches
LENGTHS = (0.27, 0.20, 0.21, 0.14, 0.10, 0.08)  # words of AOL's distinct queries: 1, 2, …
SESSIONS_PER_USER = 16.73  # AOL: mean of sessions per user (spec 0)
SEARCHES_PER_SESSION = 2.0
MORNING = 8  # the hour of all sessions where no hours are known
LEAST_CLICKED, MOST_CLICKED = 0.05, 0.95


@dataclass(frozen=True)
class SearchFigures:
    """`covered`: the share of searches that are released queries, None where the release does not tell."""

    covered: float | None
    clicked: float
    lengths: Floats  # cumulated shares of 1, 2, … words
    hours: Floats  # cumulated shares
    sessions: float  # of a user, on average

    @property
    def told(self) -> bool:
        """Whether the release publishes the tables that these figures come from."""
        return self.covered is not None


def read_figures(release: Release) -> SearchFigures:
    """All figures; noise may make shares too small or too large, so they are cut."""
    hours = _counts(release, "hours")
    if hours is None:
        hours = (np.arange(len(HOURS)) == MORNING).astype(float)
    lengths = _counts(release, "lengths")
    shares, people = _counts(release, "shares"), release.label.notes.get("people")
    if lengths is None or shares is None or not isinstance(people, int | float):
        return SearchFigures(None, CLICKED, np.cumsum(LENGTHS), np.cumsum(hours), SESSIONS_PER_USER)
    part = dict(zip(SHARES, shares / people, strict=True))
    released, _known, clicked, _on_site, searches = (part[name] for name in SHARES)
    return SearchFigures(
        float(np.clip(released, 0.01, 1.0)),
        float(np.clip(clicked, LEAST_CLICKED, MOST_CLICKED)),
        np.cumsum(lengths),
        np.cumsum(hours),
        float(max(1.0, searches * CAP / SEARCHES_PER_SESSION)),
    )


def _counts(release: Release, name: str) -> Floats | None:
    """The counts of a table; None where it is missing or all noise."""
    table: Any = release.table(name)
    if table is None or not table.num_rows:
        return None
    counts: Floats = table["count"].to_numpy().astype(np.float64)
    return counts if counts.sum() > 0 else None
