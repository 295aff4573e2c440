"""Plain k-anonymity of queries: the Θ = 1 of semantic k-anonymity (Carpineto and Romano 2013, §1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.frequency_threshold import refuse_lower
from crowdlog.mechanisms.parameters import ANONYMITY, parameter
from crowdlog.mechanisms.shared import WEAKNESSES
from crowdlog.plan.bounds import Counts, Unbounded
from crowdlog.plan.decide import Kept
from crowdlog.plan.selections import AtLeast
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import anonymity
from crowdlog.release.promise import Promise, Protected, promise_of

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.engine.log_source import LogSource
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.types import Ints

UNPROTECTED = (
    "Several queries of one person together: each may hide among k users while their combination points at "
    "one.",
    "What all k users have in common: if everybody around a query shares a secret, the query tells it.",
    *WEAKNESSES,
)


@dataclass(frozen=True, repr=False)
class KAnonymity(Mechanism):
    """Publish the queries that at least k different users typed, with their exact number of impressions."""

    title: ClassVar[str] = "Queries typed by at least k different users"
    example: ClassVar[str] = "KAnonymity(k=20)"
    source: ClassVar[str] = "Carpineto and Romano 2013, §1"
    formula: ClassVar[str] = "publish q where users(q) ≥ k"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("impressions",)
    people_column: ClassVar[str] = "degree"
    counts_only: ClassVar[bool] = True

    k: int = parameter("how many different users must have typed a query", least=2, role=ANONYMITY)

    def promise(self) -> Promise:
        return promise_of(
            [of_at_least(self.k)],
            covered=anonymity(self.k),
            unprotected=UNPROTECTED,
            proof="proofs/semantic.md",
        )

    def opened(self, k: int) -> Promise:
        refuse_lower(self, self.k, k)
        return self.promise()

    def protect(self, log: LogStore, randomness: Randomness, **options: Any) -> Protected:
        (plan,) = self.plan
        with self.open(log, **options) as source:
            kept, people = source.kept_with_people(plan, randomness)
            return Protected({plan.name: source.table(plan, kept, degree=people)})


def of_at_least(k: int) -> TablePlan:
    """Queries with exact counts, of k people and more."""
    return TablePlan(Artifact("query"), "impressions", Unbounded(), AtLeast(k, "users"), None)


def with_degrees(source: LogSource, plan: TablePlan, kept: Kept, key: Ints, degree: Ints) -> pa.Table:
    """The kept queries with the number of people behind each; `key` is sorted, `degree` belongs to it."""
    return source.table(plan, kept, degree=degree[key.searchsorted(kept.key)])
