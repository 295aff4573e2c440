"""What several releases cost together: the plain sum (guarantee.compose), or less by privacy loss
distributions. Proof: proofs/accounting.md.

The distributions are those of dp-accounting, rounded to the safe side. A step that is only known by its ε and
δ is replaced by the worst mechanism with that ε and δ. What a step asks may depend on what was seen before;
its numbers may not: so the ledger shows this ε beside the plain sum, and refuses by the sum.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

from crowdlog.errors import InputError
from crowdlog.privacy.guarantee import compose
from crowdlog.privacy.ledger_book import Entry
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounding import round_up, sum_up
from crowdlog.privacy.thresholds import Threshold, laplace_epsilon

# The library convolves by FFT in doubles: its sums err by less than this (proofs/accounting.md), and so does
# its search for ε.
ABSOLUTE_ERROR, RELATIVE_ERROR = 1e-12, 1e-9


@dataclass(frozen=True)
class PromisedStep:
    """A step of which only the promise is used."""

    epsilon: float
    delta: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {"step": "promised", **asdict(self)}


@dataclass(frozen=True)
class GaussianStep:
    """A Gaussian mechanism over the reals in any number of dimensions, or what is computed from it; μ is L2
    sensitivity over standard deviation.
    """

    mu: float

    def as_json(self) -> dict[str, Any]:
        return {"step": "gaussian", **asdict(self)}


@dataclass(frozen=True)
class LaplaceStep:
    """Integers that one user moves by at most `sensitivity` all together (L1), with discrete Laplace noise,
    or what is computed from them.
    """

    scale: float
    sensitivity: int

    def as_json(self) -> dict[str, Any]:
        return {"step": "laplace", **asdict(self)}


@dataclass(frozen=True)
class TailStep:
    """What is added to δ as it is: the chance that the step beside it is not the ideal one, for example that
    a key of hers alone is shown.
    """

    delta: float

    def as_json(self) -> dict[str, Any]:
        return {"step": "tail", **asdict(self)}


Step = PromisedStep | GaussianStep | LaplaceStep | TailStep
KINDS: dict[str, type[Step]] = {
    "promised": PromisedStep,
    "gaussian": GaussianStep,
    "laplace": LaplaceStep,
    "tail": TailStep,
}


def step_from_json(stored: Mapping[str, Any]) -> Step:
    """The step that `as_json` wrote into a ledger."""
    fields = dict(stored)
    kind = fields.pop("step", None)
    if kind not in KINDS:
        raise InputError(f"A step of the ledger must be one of {', '.join(KINDS)}. Got {kind}.")
    return KINDS[kind](**fields)


def laplace_steps(sensitivity: int, scale: float, ideal_delta: float = 0.0) -> tuple[Step, ...]:
    """Counts with discrete Laplace noise; the tail has the sampler's distance from ideal noise, dη(1 + e^ε)²
    (proofs/accounting.md, Lemma 3).
    """
    epsilon = min(laplace_epsilon(sensitivity, scale), 300.0)  # beyond, the tail is far above 1 anyway
    distance = sensitivity * Fraction(DiscreteLaplace(scale).statistical_distance)
    tail = Fraction(ideal_delta) + distance * Fraction(math.exp(epsilon) * (1 + 1e-12) + 1) ** 2
    return LaplaceStep(scale, sensitivity), TailStep(round_up(min(tail, Fraction(1))))


def threshold_steps(threshold: Threshold) -> tuple[Step, ...]:
    """A selection: noise on every key she touches, and the chance that a key of hers alone is shown."""
    return laplace_steps(threshold.d, threshold.scale, threshold.ideal_delta)


def for_ledger(steps: Iterable[Step]) -> tuple[dict[str, Any], ...]:
    """The steps as a promise and a ledger keep them."""
    return tuple(step.as_json() for step in steps)


def pld_epsilon(steps: Iterable[Step], delta: float) -> float:
    """The ε at this δ of all steps together, rounded up; infinite if the steps' own δ leave no room."""
    from dp_accounting.pld import privacy_loss_distribution  # here, because it takes a second

    listed = list(steps)
    tails = sum_up(step.delta for step in listed if isinstance(step, TailStep))
    noisy = Counter(step for step in listed if not isinstance(step, TailStep))
    room = (delta - tails) * (1 - RELATIVE_ERROR) - ABSOLUTE_ERROR
    if not noisy and tails <= delta:
        return 0.0
    if room <= 0:
        return math.inf
    whole = privacy_loss_distribution.identity()
    for step, times in noisy.items():
        one = _distribution(step)
        whole = whole.compose(one.self_compose(times) if times > 1 else one)
    epsilon = float(whole.get_epsilon_for_delta(room))
    return math.nextafter(epsilon * (1 + RELATIVE_ERROR), math.inf) if epsilon > 0 else 0.0


def ledger_epsilon(entries: Iterable[Entry], delta: float) -> float:
    """The ε at this δ of everything in a ledger, the least of three that all hold: by the steps that each
    charge names, by the promises, the sum. Where dp_accounting is not installed, the sum.
    """
    listed = list(entries)
    if any(not entry.guarantee.protects for entry in listed):
        return math.inf
    promised = [PromisedStep(entry.guarantee.epsilon, entry.guarantee.delta) for entry in listed]
    by_steps = [
        step
        for entry, promise in zip(listed, promised, strict=True)
        for step in (map(step_from_json, entry.steps) if entry.steps else [promise])
    ]
    total = compose(entry.guarantee for entry in listed)
    plain = total.epsilon if total.delta <= delta else math.inf
    if not tight_is_known():
        return plain
    return min(pld_epsilon(by_steps, delta), pld_epsilon(promised, delta), plain)


def tight_is_known() -> bool:
    """Whether privacy loss distributions can be composed here: the core does without them."""
    try:
        import_module("dp_accounting.pld.privacy_loss_distribution")
    except ModuleNotFoundError:
        return False
    return True


def _distribution(step: Step) -> Any:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    match step:
        case PromisedStep(epsilon, delta):
            return pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, delta))
        case GaussianStep(mu):
            return pld.from_gaussian_mechanism(1.0, sensitivity=mu)
        case LaplaceStep(scale, sensitivity):
            return pld.from_discrete_laplace_mechanism(round_up(1 / Fraction(scale)), sensitivity=sensitivity)
        case TailStep():
            raise TypeError("a tail is added to δ and has no distribution")
