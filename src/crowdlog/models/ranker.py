"""What all ranking models have in common."""

from __future__ import annotations

from typing import Protocol

from crowdlog.measure.ragged import Lists
from crowdlog.types import Bools

DEPTH = 100  # results ranked for each request


class Ranker(Protocol):
    """Something that answers lists of queries from the tables of a log."""

    def knows(self, queries: Lists) -> Bools:
        """For which lists it has any answer."""

    def rank(self, queries: Lists) -> Lists:
        """The answers to each list, best first, at most DEPTH."""
