"""How much a published count speaks for a person: the logarithm of how much more likely it is with her than
without.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.types import Floats


@dataclass(frozen=True)
class Likelihood:
    """What a plan tells of the noise.

    `scale`: of Laplace noise on counts; `K`, `b`: threshold and scale of a selection by Laplace noise.
    """

    any: bool
    scale: float | None = None
    K: float | None = None
    b: float | None = None
    separate: bool = False  # the selection drew noise of its own
    names: bool = False  # no counts are published

    @classmethod
    def of(cls, plan: TablePlan) -> Likelihood:
        if plan.names_only:
            return cls(True, names=True)
        if not isinstance(plan.noise, DiscreteLaplace):
            return cls(plan.noise is not None)
        chosen = plan.selection
        if not isinstance(chosen, NoisyThreshold):
            return cls(True, plan.noise.scale)
        return cls(True, plan.noise.scale, chosen.K, chosen.scale, not plan.reuses_noise)

    def evidence(self, mine: Floats, others: Floats, shown: Floats, sd: Floats | float = 1.0) -> Floats:
        """For each of her queries: what she adds, what the others have, what is published (NaN: nothing), and
        the standard deviation of Gaussian noise where rows differ in it.

        Above 0 speaks for her.
        """
        if self.names:  # a name is likelier to be seen with her than without
            return np.where(np.isnan(shown), -mine, mine)
        absent, over = np.isnan(shown), np.nan_to_num(shown) - others
        if self.scale is None:
            # Gaussian noise, of whatever size if it is the same everywhere, or none
            counted = (mine * over - mine * mine / 2) / np.square(sd)
            # without noise, only her absence hides a query
            return np.where(absent, 0.0 if self.any else -mine * mine / 2, counted)
        counted = (np.abs(over) - np.abs(over - mine)) / self.scale
        if self.K is None or self.b is None:
            return np.where(absent, 0.0, counted)
        before, after = (others - self.K) / self.b, (others + mine - self.K) / self.b
        chosen = counted + _log_cdf(after) - _log_cdf(before) if self.separate else counted
        return np.where(absent, _log_cdf(-after) - _log_cdf(-before), chosen)


def _log_cdf(x: Floats) -> Floats:
    """The logarithm of P(Z ≤ x) for Laplace noise of scale 1."""
    return np.where(x < 0, np.minimum(x, 0) - np.log(2), np.log1p(-np.exp(-np.maximum(x, 0)) / 2))
