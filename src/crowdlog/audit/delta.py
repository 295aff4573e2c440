"""The δ audit: by how much P(event) on one log exceeds e^ε · P(event) on its neighbour, from samples; and in
exact arithmetic where δ is too small to be sampled.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.events import Halves, best_event
from crowdlog.audit.finding import Finding
from crowdlog.audit.trial import Trial
from crowdlog.plan.selections import (
    GradedRounds,
    KeySelection,
    KeySelections,
    NoisyThreshold,
    WeightedRounds,
)
from crowdlog.privacy.accounting import PromisedStep, TailStep
from crowdlog.types import Floats, Ints

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

BITS = 400  # of precision: 1 − (1 − p)^d keeps 20 digits even for p = 1e-100


def audit_delta(trial: Trial, alpha: float) -> list[Finding]:
    """The highest lower bound on δ of each shape; alpha is the chance of any false alarm."""
    guarantee = trial.variant.mechanism.promise().guarantee
    findings = []
    for where, ways in trial.comparisons():
        bound = delta_bound(ways, guarantee.epsilon, alpha / (4 * len(trial.shapes)))
        meaning = f"δ is at least {bound:.3g} at the promised ε; {guarantee.delta:.3g} is promised."
        findings.append(Finding("delta", where, guarantee.delta, bound, bound > guarantee.delta, meaning))
    return findings


def delta_bound(ways: list[tuple[Halves, Halves]], epsilon: float, alpha: float) -> float:
    """p − e^ε·q with p bounded from below and q from above, each except with probability alpha.

    `ways`: samples of (likely, unlikely) logs.
    """

    def excess(likely: Ints, n: int, unlikely: Ints, m: int) -> Floats:
        return np.asarray(lower(likely, n, alpha) - math.exp(epsilon) * upper(unlikely, m, alpha))

    event = best_event(ways, excess)
    p = float(lower(event.likely, event.of_likely, alpha))
    q = float(upper(event.unlikely, event.of_unlikely, alpha))
    return max(0.0, p - math.exp(epsilon) * q)


def audit_closed_form(mechanism: Mechanism) -> list[Finding]:
    """At the real parameters: the chance that a key of hers alone is shown, from the declared plan, against
    the declared δ.
    """
    import mpmath

    delta = mechanism.promise().guarantee.delta
    with mpmath.workprec(BITS):
        real = float(
            mpmath.fsum(_exposes(plan.selection) for plan in mechanism.plan if plan.selection is not None)
        )
    meaning = (
        f"The declared selections show a key of one person alone with probability {real:.3g}; "
        f"δ = {delta:.3g} is promised."
    )
    return [
        Finding(
            "closed form", "unique keys, real parameters", delta, real, real > delta * (1 + 1e-12), meaning
        )
    ]


def _exposes(selection: KeySelections) -> Any:
    """A threshold: the worst of two ways to spread her units, one for each of d keys or all for one key.

    Weights: what their method says.
    """
    if isinstance(selection, WeightedRounds | GradedRounds):
        return selection.own_keys
    if isinstance(selection, KeySelection):
        return sum(step.delta for step in selection.accounting() if isinstance(step, TailStep | PromisedStep))
    if not isinstance(selection, NoisyThreshold):
        return 1.0
    if selection.public:
        return 0.0
    over = selection.K - (selection.at_least - 1)
    spread = 1 - (1 - _shown_alone(selection.scale, over - 1)) ** selection.d
    return (
        spread if selection.on == "users" else max(spread, _shown_alone(selection.scale, over - selection.d))
    )


def _shown_alone(scale: float, over: int) -> Any:
    """P(Z > over) of discrete Laplace noise: q^(over + 1)/(1 + q) with q = e^(−1/scale) for over ≥ 0, its
    mirror image below.
    """
    import mpmath

    q = mpmath.exp(-1 / mpmath.mpf(scale))
    return q ** (over + 1) / (1 + q) if over >= 0 else 1 - q**-over / (1 + q)
