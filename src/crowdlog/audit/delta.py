"""The δ audit: how much of an event's probability e^ε does not explain; and δ in exact arithmetic where it is too small to be sampled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.events import Halves, nested
from crowdlog.audit.finding import Finding
from crowdlog.audit.trial import Trial

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

BITS = 400  # of precision: 1 − (1 − p)^d keeps 20 digits even for p = 1e-100


def audit_delta(trial: Trial, alpha: float) -> list[Finding]:
    """The highest lower bound on δ of each shape; alpha is the chance of any false alarm."""
    guarantee = trial.mechanism.promise().guarantee
    findings = []
    for where, likely, unlikely in trial.comparisons():
        bound = delta_bound(likely, unlikely, guarantee.epsilon, alpha / (4 * len(trial.shapes)))
        meaning = f"δ is at least {bound:.3g} at the promised ε; {guarantee.delta:.3g} is promised."
        findings.append(Finding("delta", where, guarantee.delta, bound, bound > guarantee.delta, meaning))
    return findings


def delta_bound(likely: Halves, unlikely: Halves, epsilon: float, alpha: float) -> float:
    """p − e^ε·q with p bounded from below and q from above, each except with probability alpha."""
    seen_likely, seen_unlikely, likely_again, unlikely_again = nested(likely, unlikely)
    excess = lower(seen_likely, len(likely.first), alpha) - math.exp(epsilon) * upper(seen_unlikely, len(unlikely.first), alpha)
    best = int(np.argmax(excess))
    p = float(lower(likely_again[best], len(likely.second), alpha))
    q = float(upper(unlikely_again[best], len(unlikely.second), alpha))
    return max(0.0, p - math.exp(epsilon) * q)


def audit_closed_form(mechanism: Mechanism) -> list[Finding]:
    """At the real parameters: the chance that a key of hers alone is shown, from the declared K and b, against the declared δ."""
    settings, delta = mechanism.promise().settings, mechanism.promise().guarantee.delta
    if not {"K", "b", "d"} <= settings.keys():
        return []
    import mpmath

    d, over, distinct = int(settings["d"]), int(settings["K"]) - int(settings.get("k'", 0)), _counts_people(mechanism)
    with mpmath.workprec(BITS):
        one = _shown_alone(float(settings["b"]), over - 1)
        spread = 1 - (1 - one) ** d
        real = float(max(spread, one if distinct else _shown_alone(float(settings["b"]), over - d)))
    meaning = f"The declared threshold shows a key of one person alone with probability {real:.3g}; δ = {delta:.3g} is promised."
    return [Finding("closed form", "unique keys, real parameters", delta, real, real > delta * (1 + 1e-12), meaning)]


def _counts_people(mechanism: Mechanism) -> bool:
    return mechanism.promise().counts == "users" or bool(getattr(mechanism, "distinct", False))


def _shown_alone(scale: float, over: int) -> Any:
    """P(Z > over) of discrete Laplace noise: q^(over + 1)/(1 + q) with q = e^(−1/scale) for over ≥ 0, its mirror image below."""
    import mpmath

    q = mpmath.exp(-1 / mpmath.mpf(scale))
    return q ** (over + 1) / (1 + q) if over >= 0 else 1 - q**-over / (1 + q)
