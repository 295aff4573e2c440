"""DP_a and DP_u: differentially private crowd logs (Feild 2013, §3.4 and appendix B)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine import bound
from crowdlog.engine.count import histogram
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION, add_noise, laplace_sd, select
from crowdlog.mechanisms.frequency import ARTIFACT_HELP, REPRESENTATION_HELP
from crowdlog.mechanisms.mining import open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.accounting import for_ledger, laplace_steps, threshold_steps
from crowdlog.privacy.guarantee import compose
from crowdlog.privacy.published import dp_a, dp_u
from crowdlog.privacy.thresholds import Threshold, laplace_guarantee, smallest_threshold
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

KEEP_HELP = "which d artifacts of a user are kept: her first ones, or a random choice"


@dataclass(frozen=True, repr=False)
class _DP(Mechanism):
    """What DP_a and DP_u share: they differ in what the threshold looks at."""

    source: ClassVar[str] = "Feild 2013, §3.4 and appendix B"
    distinct: ClassVar[bool]  # the threshold counts people, not impressions

    epsilon: float = parameter("privacy loss of one user, all steps together", above=0)
    delta: float = parameter("probability that the promise may fail", above=0, below=1)
    d: int = parameter("how many artifacts are kept of each user", least=1)
    select_share: float = parameter(
        "share of ε spent on choosing which artifacts are shown; the rest goes to the counts", default=0.5, above=0, below=1
    )
    keep: str = parameter(KEEP_HELP, default="first", choices=("first", "random"))
    artifact: str = parameter(ARTIFACT_HELP, default="query", choices=tuple(ARTIFACTS))
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def _parts(self) -> tuple[Threshold, float]:
        """The threshold and the scale of the published counts' noise. A thousandth of δ pays for the sampler's distance from ideal noise."""
        counts = self.d / (self.epsilon * (1 - self.select_share) * (1 - 1e-12))
        return smallest_threshold(self.epsilon * self.select_share, self.delta * 0.999, self.d, distinct=self.distinct), counts

    def promise(self) -> Promise:
        threshold, scale = self._parts()
        chosen, counted = threshold.guarantee(), laplace_guarantee(self.d, scale)
        what = "different users" if self.distinct else "impressions"
        return Promise(
            compose([chosen, counted]),
            (
                Step("Bound", f"Keep {self.d} artifacts of each user ({self.keep})."),
                Step("Select", f"Show an artifact when its number of {what} plus noise is above {threshold.K}.", chosen.epsilon, chosen.delta),
                Step("Count", f"Publish its impressions with fresh noise of scale {scale:.4g}.", counted.epsilon, counted.delta),
            ),
            {"K": threshold.K, "b": threshold.scale, "count noise scale": scale, "d": self.d},
            assumptions=(HONEST_USERS,),
            unprotected=(INJECTION,),
            errata=("The paper publishes counts with noise of a scale b_r that it does not charge; here their ε is part of the total.",),
            accounting=for_ledger([*threshold_steps(threshold), *laplace_steps(self.d, scale)]),
            proof="proofs/feild.md",
            as_published=self._as_published(),
        )

    @abstractmethod
    def _as_published(self) -> dict[str, Setting]:
        """The paper's threshold, which spends all of ε on the selection."""

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        kind, (threshold, scale) = Artifact(self.artifact, self.representation), self._parts()
        with open_mine(log, self.representation) as mine:
            counts = histogram(self._bounded(mine.artifacts(kind), randomness), users=self.distinct)
            kept = select(counts.users if self.distinct else counts.impressions, threshold, randomness)
            published = add_noise(counts.impressions[kept], scale, randomness, clean=True)
            return Protected({kind.table: mine.table(kind, counts.key[kept], published)}, {"count noise sd": laplace_sd(scale)})

    def _bounded(self, artifacts: Any, randomness: Randomness) -> Any:
        if self.keep == "first":
            return bound.first(artifacts, self.d)
        return bound.random(artifacts, self.d, randomness.bytes(16).hex())


@dataclass(frozen=True, repr=False)
class DPa(_DP):
    """Select on impressions."""

    title: ClassVar[str] = "Artifacts whose noisy number of impressions is high, with noisy counts"
    distinct: ClassVar[bool] = False

    def _as_published(self) -> dict[str, Setting]:
        published = dp_a(self.epsilon, self.delta, self.d)
        return {"k": published.k, "b": published.b}


@dataclass(frozen=True, repr=False)
class DPu(_DP):
    """Select on different users."""

    title: ClassVar[str] = "Artifacts whose noisy number of users is high, with noisy counts"
    distinct: ClassVar[bool] = True

    def _as_published(self) -> dict[str, Setting]:
        published = dp_u(self.epsilon, self.delta, self.d)
        return {"k": published.k, "b": published.b}
