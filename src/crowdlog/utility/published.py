"""What a measure must know of how a release was made, from the spelling of its mechanism in the label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crowdlog.artifacts.representations import REPRESENTATIONS

ORIGINAL = REPRESENTATIONS[0]
TOPICS_LEFT_OUT = "The sequences of this release are of topics, not of queries, so they are left out."


@dataclass(frozen=True)
class Published:
    """`representation`: how queries are written; `pair_kind`: which two queries make a pair; `topics`: sessions are of topics, not of queries."""

    counts_users: bool = False
    pair_kind: str = "pair"
    representation: str = ORIGINAL
    topics: bool = False

    @classmethod
    def of(cls, label: Mapping[str, Any]) -> Published:
        told = label.get("crowdlog", {})
        spelling = str(told.get("mechanism", ""))
        pair = re.search(r"'((?:undirected-)?(?:session-|window-)?pair)'", spelling)
        written = re.search(rf"representation='({'|'.join(REPRESENTATIONS)})'", spelling)
        return cls(
            counts_users=told.get("counts") == "users",
            pair_kind=pair[1] if pair else "pair",
            representation=written[1] if written else ORIGINAL,
            topics="features=" in spelling,
        )

    def notes(self) -> dict[str, str]:
        """For the details of a score: what was done to the log so that it can be compared."""
        notes = {}
        if self.representation != ORIGINAL:
            notes["representation"] = self.representation
            notes["compared"] = (
                f"The release writes queries as '{self.representation}'; "
                "the log's own queries and those tested on are written so too before they are counted."
            )
        return notes | ({"left_out": TOPICS_LEFT_OUT} if self.topics else {})
