"""Refusals by the sum of μ²: for ledgers all of whose releases are Gaussian, however they are chosen.

Half of the budget's δ is for the noise (it fixes the largest Σμ²), half for tails; both before the first
release. Proof, and why neither may be shifted later: proofs/accounting.md, "A filter for Gaussian releases".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import mpmath

from crowdlog.number_format import rounded_down, rounded_up
from crowdlog.privacy.gaussian import largest_mu, upper_quantile
from crowdlog.privacy.rounding import PRECISION, SLACK, as_fraction, round_up

_LARGE = 600.0  # beyond, 1/(1 + e^ε) is no float that can be trusted
Steps = Iterable[Mapping[str, Any]]


def gaussian_parts(steps: Steps) -> tuple[Fraction, Fraction] | None:
    """Σμ² and Στ of a release, exact; None when it draws other noise or does not tell its steps."""
    squares, tails, told = Fraction(0), Fraction(0), False
    for step in steps:
        told = True
        if step.get("step") == "gaussian":
            squares += Fraction(step["mu"]) ** 2
        elif step.get("step") == "tail":
            tails += Fraction(step["delta"])
        else:
            return None
    return (squares, tails) if told else None


def promised_parts(epsilon: float, delta: float) -> tuple[Fraction, Fraction]:
    """Σμ² and Στ that cover whatever is (ε, δ)-private, rounded up: for what was booked, of which no more
    is known (proofs/accounting.md, Lemma 4).
    """
    if epsilon > _LARGE:  # P(N ≥ √(2ε)) ≤ e^−ε / 2
        return 8 * Fraction(epsilon), Fraction(delta)
    with mpmath.workprec(PRECISION):
        tail = as_fraction(1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))) * (1 - SLACK)
    below = math.nextafter(float(tail), 0.0)
    return (2 * Fraction(max(upper_quantile(below), 0.0))) ** 2, Fraction(delta)


def limits(epsilon: float, delta: float) -> tuple[Fraction, Fraction]:
    """The largest Σμ² and Στ under a budget, rounded down."""
    half = delta / 2
    return Fraction(largest_mu(epsilon, half)) ** 2 if epsilon > 0 and half > 0 else Fraction(0), Fraction(
        half
    )


def refusal(
    releases: Iterable[Steps],
    epsilon: float,
    delta: float,
    spent: Iterable[tuple[Fraction, Fraction]] = (),
) -> str | None:
    """Why these releases together, and with the parts that are spent, do not fit; None when they do."""
    before = list(spent)
    squares = sum((part[0] for part in before), Fraction(0))
    tails = sum((part[1] for part in before), Fraction(0))
    for steps in releases:
        parts = gaussian_parts(steps)
        if parts is None:
            return "the budget is for Gaussian releases only (its rule is Σμ²), and this is none"
        squares, tails = squares + parts[0], tails + parts[1]
    most_squares, most_tails = limits(epsilon, delta)
    if squares > most_squares:
        return (
            f"Σμ² would be {rounded_up(round_up(squares))}, and ε = {epsilon:g}, δ = {delta:g} allow "
            f"{rounded_down(float(most_squares))}"
        )
    if tails > most_tails:
        return (
            f"the δ of thresholds would be {rounded_up(round_up(tails))}, and the budget has "
            f"{rounded_down(float(most_tails))} for them"
        )
    return None
