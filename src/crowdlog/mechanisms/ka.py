"""KA: clicks of more than K people (Zhang 2017, §4.4.1), the comparison of A_Click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import ANONYMITY, parameter
from crowdlog.mechanisms.shared import WEAKNESSES
from crowdlog.plan.bounds import Counts, Unbounded
from crowdlog.plan.selections import AtLeast
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import anonymity
from crowdlog.release.promise import Promise, promise_of


@dataclass(frozen=True, repr=False)
class KA(Mechanism):
    """Publish (query, url, number of users) where that number is above K (Zhang 2017, §4.4.1)."""

    title: ClassVar[str] = "Clicks of more than K different users, with the number of users"
    example: ClassVar[str] = "KA(K=20)"
    source: ClassVar[str] = "Zhang 2017, §4.4.1"
    formula: ClassVar[str] = "publish users(q, u) where users(q, u) > K"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("users",)

    K: int = parameter(
        "a click is published when more than this many different users made it", least=0, role=ANONYMITY
    )

    def promise(self) -> Promise:
        table = TablePlan(Artifact("click"), "users", Unbounded(), AtLeast(self.K + 1, "users"), None)
        return promise_of(
            [table], covered=anonymity(self.K + 1), unprotected=WEAKNESSES, proof="proofs/frequency.md"
        )

    def opened(self, k: int) -> Promise:
        if k - 1 > self.K:
            raise InputError(
                f"The collection opens what {k} people share; the K of KA must be at least {k - 1}. "
                f"Got {self.K}."
            )
        return self.promise()
