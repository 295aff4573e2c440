"""What an attack found: how often it succeeds, how often a guess would, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
RESAMPLES = 1000  # of a bootstrap interval

Interval = tuple[float, float]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AttackResult:
    """`success` and `chance` are shares from 0 to 1. Both are None when the attack had nothing to attack; `note` then says why."""

    name: str
    success: float | None = None
    chance: float | None = None
    interval: Interval | None = None  # of the success, 95 %
    broken: bool = False  # the attack does better than a guess, and better than the label admits
    details: Mapping[str, Any] = field(default_factory=dict)  # numbers only, never text of the log
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def nothing(name: str, why: str, **details: Any) -> AttackResult:
    """The attack has nothing to work on."""
    return AttackResult(name, note=why, details=details)


def counted(name: str, hits: int, trials: int, chance: float, *, note: str = "", **details: Any) -> AttackResult:
    """A result of independent trials: broken when even the lower end of the interval is above chance."""
    interval = clopper_pearson(hits, trials)
    return AttackResult(name, hits / trials, chance, interval, interval[0] > chance, {"trials": trials, **details}, note)


def averaged(name: str, values: Floats, chance: float, rng: np.random.Generator, *, note: str = "", **details: Any) -> AttackResult:
    """A result that is the mean of one value per trial."""
    interval = bootstrap(values, rng)
    return AttackResult(name, float(values.mean()), chance, interval, interval[0] > chance, {"trials": len(values), **details}, note)


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """The exact interval of a share: it holds the true share at least 95 times in 100, or as often as `confidence` says."""
    from scipy.stats import beta

    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, hits, trials - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - tail, hits + 1, trials - hits)) if hits < trials else 1.0
    return low, high


def bootstrap(values: Floats, rng: np.random.Generator) -> Interval:
    """The interval of a mean from resampled means."""
    means = [values[rng.integers(len(values), size=len(values))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
