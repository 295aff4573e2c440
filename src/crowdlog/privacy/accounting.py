"""What several releases cost together: the plain sum (guarantee.compose), or less by privacy loss distributions.

The distributions are those of dp-accounting, rounded to the safe side (pessimistic estimates; noise outside a mass of 1e-30 is left out).
A step that is only known by its ε and δ is replaced by the worst mechanism with that ε and δ. What a step asks may depend on what was seen
before; its numbers may not: so the ledger shows this ε beside the plain sum, and refuses by the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from crowdlog.errors import InputError
from crowdlog.privacy.ledger import Entry
from crowdlog.privacy.rounding import round_up


@dataclass(frozen=True)
class PromisedStep:
    """A step of which only the promise is used."""

    epsilon: float
    delta: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {"step": "promised", **asdict(self)}


@dataclass(frozen=True)
class GaussianStep:
    """ONE integer that one user moves by at most `sensitivity`, published with discrete Gaussian noise."""

    sigma: float
    sensitivity: int

    def as_json(self) -> dict[str, Any]:
        return {"step": "gaussian", **asdict(self)}


@dataclass(frozen=True)
class LaplaceStep:
    """ONE integer that one user moves by at most `sensitivity`, published with discrete Laplace noise."""

    scale: float
    sensitivity: int

    def as_json(self) -> dict[str, Any]:
        return {"step": "laplace", **asdict(self)}


Step = PromisedStep | GaussianStep | LaplaceStep
KINDS: dict[str, type[Step]] = {"promised": PromisedStep, "gaussian": GaussianStep, "laplace": LaplaceStep}


def step_from_json(stored: Mapping[str, Any]) -> Step:
    """The step that `as_json` wrote into a ledger."""
    fields = dict(stored)
    kind = fields.pop("step", None)
    if kind not in KINDS:
        raise InputError(f"A step of the ledger must be one of {', '.join(KINDS)}. Got {kind}.")
    return KINDS[kind](**fields)


def pld_epsilon(steps: Iterable[Step], delta: float) -> float:
    """The ε at this δ of all steps together, rounded up; infinite if the steps' own δ leave no room."""
    from dp_accounting.pld import privacy_loss_distribution  # here, because it takes a second

    whole = privacy_loss_distribution.identity()
    for step in steps:
        whole = whole.compose(_distribution(step))
    epsilon = float(whole.get_epsilon_for_delta(delta))
    return math.nextafter(epsilon, math.inf) if epsilon > 0 else 0.0


def ledger_epsilon(entries: Iterable[Entry], delta: float) -> float:
    """The ε at this δ of everything in a ledger: by the steps of each charge where it names them, else by its promise."""
    steps: list[Step] = []
    for entry in entries:
        if not entry.guarantee.protects:
            return math.inf
        steps += map(step_from_json, entry.steps) if entry.steps else [PromisedStep(entry.guarantee.epsilon, entry.guarantee.delta)]
    return pld_epsilon(steps, delta)


def _distribution(step: Step) -> Any:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    match step:
        case PromisedStep(epsilon, delta):
            return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, delta))
        case GaussianStep(sigma, sensitivity):
            return pld.from_discrete_gaussian_mechanism(sigma, sensitivity=sensitivity)
        case LaplaceStep(scale, sensitivity):
            return pld.from_discrete_laplace_mechanism(round_up(1 / Fraction(scale)), sensitivity=sensitivity)
