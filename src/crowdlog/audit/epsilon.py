"""The ε audit: an event that one log makes more than e^ε times as likely as its neighbour, beyond δ."""

from __future__ import annotations

import math

import numpy as np

from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.events import Halves, nested
from crowdlog.audit.finding import Finding
from crowdlog.audit.trial import Trial


def audit_epsilon(trial: Trial, alpha: float) -> list[Finding]:
    """The highest lower bound on ε of each shape; alpha is the chance of any false alarm."""
    guarantee = trial.mechanism.promise().guarantee
    findings = []
    for where, likely, unlikely in trial.comparisons():
        bound = epsilon_bound(likely, unlikely, guarantee.delta, alpha / (4 * len(trial.shapes)))
        meaning = f"ε is at least {bound:.3g}; {guarantee.epsilon:.3g} is promised."
        findings.append(Finding("epsilon", where, guarantee.epsilon, bound, bound > guarantee.epsilon, meaning))
    return findings


def epsilon_bound(likely: Halves, unlikely: Halves, delta: float, alpha: float) -> float:
    """ln((p − δ)/q) with p bounded from below and q from above, each except with probability alpha."""
    seen_likely, seen_unlikely, likely_again, unlikely_again = nested(likely, unlikely)
    gain = lower(seen_likely, len(likely.first), alpha) - delta
    ratios = np.where(gain > 0, gain, 0) / upper(seen_unlikely, len(unlikely.first), alpha)
    best = int(np.argmax(ratios))
    p = float(lower(likely_again[best], len(likely.second), alpha)) - delta
    q = float(upper(unlikely_again[best], len(unlikely.second), alpha))
    return max(0.0, math.log(p / q)) if p > 0 else 0.0
