"""What DP_a and DP_u share (Feild 2013, §3.4 and appendix B): they differ in what the threshold looks at."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, SHARE, parameter
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION, SAMPLER_SHARE
from crowdlog.plan.bounds import Counts, FirstOccurrences, RandomOccurrences
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.published import PublishedThreshold
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.release.promise import Promise, promise_of


@dataclass(frozen=True, repr=False)
class DPCrowdLog(Mechanism):
    """Keep d artifacts of each user, show those whose noisy number is above K, publish impressions with fresh
    noise.
    """

    source: ClassVar[str] = "Feild 2013, §3.4 and appendix B"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("impressions",)
    distinct: ClassVar[bool]  # the threshold counts people, not impressions

    epsilon: float = shared.epsilon()
    delta: float = shared.delta()
    d: int = parameter("how many artifacts are kept of each user", least=1, role=BOUND)
    select_share: float = parameter(
        "share of ε spent on choosing which artifacts are shown; the rest goes to the counts",
        default=0.5,
        above=0,
        below=1,
        role=SHARE,
    )
    keep: str = shared.keep()
    artifact: str = shared.artifact()
    representation: str = shared.representation()

    def promise(self) -> Promise:
        return self._promise(at_least=1)

    def opened(self, k: int) -> Promise:
        # k − 1 others may have d impressions each of an artifact that she makes readable.
        return self._promise(at_least=k if self.distinct else (k - 1) * self.d + 1)

    def _promise(self, at_least: int) -> Promise:
        share = self.epsilon * self.select_share, self.delta * SAMPLER_SHARE
        chosen = smallest_threshold(*share, self.d, distinct=self.distinct, at_least=at_least)
        scale = self.d / (self.epsilon * (1 - self.select_share) * ROOM_BELOW)
        table = TablePlan(
            Artifact(self.artifact, self.representation),
            "impressions",
            FirstOccurrences(self.d) if self.keep == "first" else RandomOccurrences(self.d),
            NoisyThreshold.of(chosen),
            DiscreteLaplace(scale),
        )
        published = self._as_published()
        return promise_of(
            [table],
            assumptions=(HONEST_USERS,),
            unprotected=(INJECTION,),
            errata=(
                "The paper publishes counts with noise of a scale b_r that it does not charge; "
                "here their ε is part of the total.",
            ),
            proof="proofs/feild.md",
            as_published={"k": published.k, "b": published.b},
        )

    @abstractmethod
    def _as_published(self) -> PublishedThreshold:
        """The paper's threshold, which spends all of ε on the selection."""
