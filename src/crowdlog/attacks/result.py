"""What an attack found: how often it succeeds, how often a guess would, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from crowdlog.measure.intervals import Interval, bootstrap_mean, clopper_pearson
from crowdlog.types import Floats


@dataclass(frozen=True)
class AttackResult:
    """`success` and `chance` are shares from 0 to 1.

    Both are None when the attack had nothing to attack; `note` then says why.
    """

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


def result_of_trials(
    name: str, hits: int, trials: int, chance: float, *, note: str = "", **details: Any
) -> AttackResult:
    """A result of independent trials: broken when even the lower end of the interval is above chance."""
    interval = clopper_pearson(hits, trials)
    return AttackResult(
        name, hits / trials, chance, interval, interval[0] > chance, {"trials": trials, **details}, note
    )


def result_of_mean(
    name: str, values: Floats, chance: float, rng: np.random.Generator, *, note: str = "", **details: Any
) -> AttackResult:
    """A result that is the mean of one value per trial."""
    mean, interval = float(values.mean()), bootstrap_mean(values, rng)
    broken = interval is not None and interval[0] > chance
    return AttackResult(name, mean, chance, interval, broken, {"trials": len(values), **details}, note)
