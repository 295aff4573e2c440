"""What FT_a and FT_u share (Feild 2013, §3.4.1.1): publish what occurs often enough.

No noise, no differential privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import ANONYMITY, parameter
from crowdlog.mechanisms.shared import WEAKNESSES
from crowdlog.plan.bounds import Counts, Unbounded
from crowdlog.plan.selections import AtLeast
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import NO_GUARANTEE, anonymity
from crowdlog.release.promise import Promise, promise_of


@dataclass(frozen=True, repr=False)
class FrequencyThreshold(Mechanism):
    """Publish artifacts with at least k impressions, or of at least k people, with exact counts."""

    source: ClassVar[str] = "Feild 2013, §3.4.1.1"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("users", "impressions")
    on: ClassVar[Counts]

    k: int = parameter(
        "how many impressions (FTa) or different users (FTu) an artifact needs", least=1, role=ANONYMITY
    )
    artifact: str = shared.artifact()
    representation: str = shared.representation()

    def promise(self) -> Promise:
        table = TablePlan(
            Artifact(self.artifact, self.representation),
            "impressions",
            Unbounded(),
            AtLeast(self.k, self.on),
            None,
        )
        alone = (
            ()
            if self.on == "users"
            else ("What one person does k times is published, if nobody else did it.",)
        )
        covered = anonymity(self.k) if self.on == "users" else NO_GUARANTEE
        return promise_of(
            [table], covered=covered, unprotected=(*alone, *WEAKNESSES), proof="proofs/frequency.md"
        )

    def opened(self, k: int) -> Promise:
        if self.on == "users":
            refuse_lower(self, self.k, k)
        return self.promise()


def refuse_lower(mechanism: Mechanism, own: int, k: int) -> None:
    """A collection opens nothing of fewer than k people, so a mechanism cannot promise what it shows of
    fewer.
    """
    if own < k:
        name = type(mechanism).__name__
        raise InputError(
            f"The collection opens what {k} people share; the k of {name} must be at least that. Got {own}."
        )
