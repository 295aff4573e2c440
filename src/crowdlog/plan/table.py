"""The plan of one published table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.plan.bounds import Bound, Counts, Reach
from crowdlog.plan.candidates import Candidates, Favours, OfTheLog
from crowdlog.plan.selections import AtLeast, KeySelection, KeySelections, NoisyThreshold, SampledThreshold
from crowdlog.privacy.accounting import Step, laplace_steps
from crowdlog.privacy.guarantee import NO_GUARANTEE, Guarantee, approximate
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.sampled_counts import MILLION
from crowdlog.privacy.thresholds import laplace_guarantee


@dataclass(frozen=True)
class RowNoise:
    """Rounded Gaussian noise whose size differs from row to row and is published with each: that of a
    mechanism of this μ for all rows together.
    """

    mu: float

    @property
    def sd(self) -> float:
        """The approximate standard deviation of the noise in a row that few people hold."""
        return 4 / self.mu

    def tail(self, t: int) -> float:
        """P(Z > t) for noise of that size."""
        return math.erfc((t + 0.5) / (self.sd * math.sqrt(2))) / 2


Noise = DiscreteLaplace | RoundedGaussian | RowNoise


@dataclass(frozen=True)
class TablePlan:
    """What is counted, how much of one person, which keys are candidates, how they are chosen and how their
    counts are published.

    `noise` is that of the published counts, None for exact ones. `reuses_noise`: the number that was compared
    with the threshold is published. `least`: smaller published counts are left out; `clean`: negative ones
    become 0. `names_only`: no counts are published; every row has the count 1.
    """

    artifact: Artifact | Sequences | Breakdown
    counts: Counts
    bound: Bound
    selection: KeySelections | None
    noise: Noise | None
    candidates: Candidates = field(default_factory=OfTheLog)
    reuses_noise: bool = False
    clean: bool = True
    least: int | None = None
    favours: Favours | None = None
    names_only: bool = False

    @property
    def name(self) -> str:
        return self.artifact.table

    @property
    def reach(self) -> Reach:
        """How far one person moves the published counts."""
        return self.bound.reach(self.counts)

    def guarantees(self) -> list[Guarantee]:
        """The (ε, δ) of the selection, then that of the counts. Gaussian parts are not listed: they have an ε
        only together (plan/gaussian_cost.py).
        """
        if isinstance(self.selection, SampledThreshold):
            return [self.selection.guarantee()]  # the number that took part is what is published
        chosen = [self.selection.guarantee()] if isinstance(self.selection, NoisyThreshold) else []
        return [*chosen, *([] if self.reuses_noise else [self._counted()])]

    def _counted(self) -> Guarantee:
        if isinstance(self.noise, DiscreteLaplace):
            moved = self.reach.total
            return laplace_guarantee(int(moved), self.noise.scale) if math.isfinite(moved) else NO_GUARANTEE
        return approximate(0.0, 0.0)

    def accounting(self) -> tuple[Step, ...]:
        """The steps of this table for composition by privacy loss distributions (privacy/accounting.py)."""
        chosen: tuple[Step, ...] = ()
        if isinstance(self.selection, NoisyThreshold | SampledThreshold):
            chosen = self.selection.accounting()
        if self.reuses_noise or not isinstance(self.noise, DiscreteLaplace):
            return chosen
        return (*chosen, *laplace_steps(int(self.reach.total), self.noise.scale))

    def numbers(self) -> dict[str, float]:
        """The plan's numbers for people to read: in the label and by `crowdlog plan`."""
        found: dict[str, float] = {}
        match self.selection:
            case NoisyThreshold() as chosen:
                found |= {"threshold K": chosen.K, "selection noise scale": chosen.scale}
                if chosen.at_least > 1:
                    found["raw filter"] = chosen.at_least
            case AtLeast(k, on):
                found[f"least {on}"] = k
            case SampledThreshold(millionths=millionths, K=K):
                found |= {"threshold K": K, "probability to take part": millionths / MILLION}
            case None:
                pass
            case chosen:
                where = chosen.where if isinstance(chosen, KeySelection) else ""
                found |= {
                    f"threshold (weight){where}": chosen.crossing.centre,
                    f"selection noise sd{where}": chosen.crossing.sd,
                }
        if isinstance(self.noise, DiscreteLaplace):
            found["count noise scale"] = self.noise.scale
        if self.noise is not None and not isinstance(self.noise, RowNoise):
            found["count noise sd"] = self.noise.sd
        return {f"{self.name}: {name}": value for name, value in found.items()}
