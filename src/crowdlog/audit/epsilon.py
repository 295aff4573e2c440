"""The ε audit: an event that one log makes more than e^ε times as likely as its neighbour, beyond δ."""

from __future__ import annotations

import math

import numpy as np

from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.events import Halves, best_event
from crowdlog.audit.finding import Finding
from crowdlog.audit.trial import Trial
from crowdlog.types import Floats, Ints


def audit_epsilon(trial: Trial, alpha: float) -> list[Finding]:
    """The highest lower bound on ε of each shape; alpha is the chance of any false alarm."""
    guarantee = trial.variant.mechanism.promise().guarantee
    findings = []
    for where, ways in trial.comparisons():
        bound = epsilon_bound(ways, guarantee.delta, alpha / (4 * len(trial.shapes)))
        meaning = f"ε is at least {bound:.3g}; {guarantee.epsilon:.3g} is promised."
        findings.append(
            Finding("epsilon", where, guarantee.epsilon, bound, bound > guarantee.epsilon, meaning)
        )
    return findings


def epsilon_bound(ways: list[tuple[Halves, Halves]], delta: float, alpha: float) -> float:
    """ln((p − δ)/q) with p bounded from below and q from above, each except with probability alpha.

    `ways`: samples of (likely, unlikely) logs.
    """

    def ratios(likely: Ints, n: int, unlikely: Ints, m: int) -> Floats:
        return np.asarray(np.maximum(lower(likely, n, alpha) - delta, 0) / upper(unlikely, m, alpha))

    event = best_event(ways, ratios)
    p = float(lower(event.likely, event.of_likely, alpha)) - delta
    q = float(upper(event.unlikely, event.of_unlikely, alpha))
    return max(0.0, math.log(p / q)) if p > 0 else 0.0
