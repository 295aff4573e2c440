"""How much a published count speaks for a person: the logarithm of how much more likely it is with her than without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.types import Floats


@dataclass(frozen=True)
class Noise:
    """What a label tells of the noise. `scale`: of Laplace noise on counts; `K`, `b`: threshold and scale of a selection by Laplace noise."""

    any: bool
    scale: float | None = None
    K: float | None = None
    b: float | None = None
    separate: bool = False  # the selection drew noise of its own

    @classmethod
    def of(cls, label: Mapping[str, Any]) -> Noise:
        settings, noisy = label["implementation"]["settings"], bool(label["privacy_loss"]["privacy_parameters"])
        if not noisy or "b" not in settings:
            return cls(noisy)
        separate = "count noise scale" in settings
        return cls(noisy, settings.get("count noise scale", settings["b"]), settings.get("K"), settings["b"], separate)

    def evidence(self, mine: Floats, others: Floats, shown: Floats) -> Floats:
        """For each of her queries: what she adds, what the others have, what is published (NaN: nothing). Above 0 speaks for her."""
        absent, over = np.isnan(shown), np.nan_to_num(shown) - others
        if self.scale is None:
            counted = mine * over - mine * mine / 2  # Gaussian noise of whatever size, or none
            return np.where(absent, 0.0 if self.any else -mine * mine / 2, counted)  # without noise, only her absence hides a query
        counted = (np.abs(over) - np.abs(over - mine)) / self.scale
        if self.K is None or self.b is None:
            return np.where(absent, 0.0, counted)
        before, after = (others - self.K) / self.b, (others + mine - self.K) / self.b
        chosen = counted + _log_cdf(after) - _log_cdf(before) if self.separate else counted
        return np.where(absent, _log_cdf(-after) - _log_cdf(-before), chosen)


def _log_cdf(x: Floats) -> Floats:
    """The logarithm of P(Z ≤ x) for Laplace noise of scale 1."""
    return np.where(x < 0, np.minimum(x, 0) - np.log(2), np.log1p(-np.exp(-np.maximum(x, 0)) / 2))
