"""What a measure must know of how a release was made, from the plan of its tables in the label."""

from __future__ import annotations

from dataclasses import dataclass

from crowdlog.artifacts.kinds import Sequences
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.release.label import Label

ORIGINAL = REPRESENTATIONS[0]
TOPICS_LEFT_OUT = "The sequences of this release are of topics, not of queries, so they are left out."


@dataclass(frozen=True)
class Published:
    """`representation`: how queries are written; `pair_kind`: which two queries make a pair; `topics`:
    sessions are of topics, not of queries.
    """

    counts_users: bool = False
    counts_told: bool = True  # else names alone are published
    pair_kind: str = "pair"
    representation: str = ORIGINAL
    topics: bool = False

    @classmethod
    def of(cls, label: Label) -> Published:
        plans = label.plans
        if not plans:
            return cls()
        kinds = [plan.artifact for plan in plans]
        return cls(
            counts_users=plans[0].counts == "users",
            counts_told=not plans[0].names_only,
            pair_kind=next((kind.kind for kind in kinds if kind.table == "pairs"), "pair"),
            representation=kinds[0].representation,
            topics=any(isinstance(kind, Sequences) and kind.topics is not None for kind in kinds),
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
