"""A mechanism whose parameters have names that nobody else uses, right and with two faults: whoever audits
must not go by names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, DELTA, EPSILON, parameter
from crowdlog.plan.bounds import FirstOccurrences
from crowdlog.plan.decide import CountSource, Kept, decide
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.release.promise import Promise, promise_of

Change = Callable[[TablePlan], TablePlan]


@dataclass(frozen=True, repr=False)
class TopK(Mechanism):
    """Show clicks whose noisy number is above a bar, with fresh counts."""

    title: ClassVar[str] = "Clicks of a toy, with noisy counts"
    example: ClassVar[str] = "TopK(loss=2, slack=1e-6)"
    source: ClassVar[str] = "tests"
    # the plan that is followed; a fault when it is not the declared one
    followed: ClassVar[Change] = staticmethod(lambda plan: plan)

    loss: float = parameter("privacy loss of one user", above=0, role=EPSILON)
    slack: float = parameter("probability that the promise may fail", above=0, below=1, role=DELTA)
    contribution: int = parameter("how much of one user counts", default=4, least=1, role=BOUND)

    def promise(self) -> Promise:
        bar = smallest_threshold(self.loss / 2, self.slack * 0.999, self.contribution)
        noise = DiscreteLaplace(self.contribution / (self.loss / 2 * (1 - 1e-12)))
        bound = FirstOccurrences(self.contribution)
        table = TablePlan(Artifact("click"), "impressions", bound, NoisyThreshold.of(bar), noise)
        return promise_of([table], unprotected=("Fake users can lift a text over the bar.",), proof="tests")

    def decide(self, source: CountSource, randomness: Randomness) -> dict[str, Kept]:
        return decide([type(self).followed(plan) for plan in self.plan], source, randomness)


def _thrice(plan: TablePlan) -> TablePlan:
    bound: Any = plan.bound
    return replace(plan, bound=FirstOccurrences(3 * bound.d))


def _third(plan: TablePlan) -> TablePlan:
    noise: Any = plan.noise
    return replace(plan, noise=DiscreteLaplace(noise.scale / 3))


@dataclass(frozen=True, repr=False)
class WideTopK(TopK):
    """Counts three times as much of one user as it declares."""

    followed: ClassVar[Change] = staticmethod(_thrice)


@dataclass(frozen=True, repr=False)
class QuietTopK(TopK):
    """Publishes counts with a third of the noise that it declares."""

    followed: ClassVar[Change] = staticmethod(_third)
