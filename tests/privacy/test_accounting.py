"""Tight accounting: never below what is true, never above the plain sum."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.accounting import (
    GaussianStep,
    LaplaceStep,
    PromisedStep,
    Step,
    TailStep,
    laplace_steps,
    ledger_epsilon,
    pld_epsilon,
    step_from_json,
    threshold_steps,
)
from crowdlog.privacy.gaussian import gaussian_delta
from crowdlog.privacy.guarantee import NO_GUARANTEE, approximate, pure
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.thresholds import Threshold, smallest_threshold


def test_nothing_costs_nothing() -> None:
    assert pld_epsilon([], 1e-6) == 0.0


def test_one_pure_step_costs_its_epsilon() -> None:
    assert 0.999 <= pld_epsilon([PromisedStep(1.0)], 1e-9) <= 1.001


def test_many_small_steps_cost_less_than_their_sum() -> None:
    assert pld_epsilon([PromisedStep(0.1)] * 50, 1e-6) < 3.3 < 50 * 0.1


def test_own_deltas_that_leave_no_room_make_epsilon_infinite() -> None:
    assert pld_epsilon([PromisedStep(0.1, 1e-5)], 1e-6) == math.inf


def test_a_gaussian_step_is_not_below_the_exact_curve() -> None:
    epsilon = pld_epsilon([GaussianStep(0.3)], 1e-7)
    assert 0.999e-7 < gaussian_delta(epsilon, 0.3) <= 1e-7


@pytest.mark.parametrize("times", [5, 30])
def test_gaussian_steps_compose_to_the_gaussian_of_the_root_of_squares(times: int) -> None:
    epsilon = pld_epsilon([GaussianStep(0.2)] * times, 1e-6)
    assert 0.999e-6 < gaussian_delta(epsilon, math.nextafter(0.2 * math.sqrt(times), 0)) <= 1e-6


def test_a_tail_is_taken_from_delta() -> None:
    assert pld_epsilon([TailStep(1e-6)], 1e-6) == 0.0
    assert pld_epsilon([TailStep(2e-6)], 1e-6) == math.inf
    with_tail = pld_epsilon([GaussianStep(0.3), TailStep(4e-8)], 1e-7)
    assert with_tail == pytest.approx(pld_epsilon([GaussianStep(0.3)], 6e-8), abs=1e-4)


def hockey_stick(shifts: list[int], scale: float, epsilon: float) -> float:
    """Σ max(0, P − e^ε·Q) over a grid, for integers with discrete Laplace noise that she moves by these
    shifts.
    """
    at = np.arange(-60, 61)
    likely = unlikely = np.ones(1)
    for shift in shifts:
        likely = np.multiply.outer(likely, np.exp(DiscreteLaplace(scale).log_pmf(at - shift))).ravel()
        unlikely = np.multiply.outer(unlikely, np.exp(DiscreteLaplace(scale).log_pmf(at))).ravel()
    return float(np.maximum(likely - math.exp(epsilon) * unlikely, 0).sum())


@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 0.3, 0.8, 1.2])
def test_units_spread_over_integers_tell_no_more_than_all_in_one(epsilon: float) -> None:
    """Lemma 1 of proofs/accounting.md, in numbers."""
    one = hockey_stick([3], 2.5, epsilon)
    for spread in ([2, 1], [1, 1, 1], [2, -1], [1, 1]):
        assert hockey_stick(spread, 2.5, epsilon) <= one + 1e-9  # the grid leaves out less


def test_a_laplace_step_is_not_below_the_exact_divergence() -> None:
    for delta in (1e-3, 1e-2, 0.1):
        assert hockey_stick([3], 2.5, pld_epsilon([LaplaceStep(2.5, 3)], delta)) <= delta


def shown(count: int, threshold: Threshold) -> np.ndarray:
    """The law of what is seen of a key: nothing, or its noisy count above K.

    Keys that nobody holds get no noise.
    """
    if count < threshold.at_least:
        return np.array([1.0] + [0.0] * 120)
    law = np.exp(threshold.noise.log_pmf(np.arange(threshold.K + 1, threshold.K + 121) - count))
    return np.concatenate([[1 - law.sum()], law])


@pytest.mark.parametrize("factor", [1.2, 2.0, 20.0])
@pytest.mark.parametrize("at_least", [1, 2])
def test_a_threshold_never_loses_more_than_its_steps_say(factor: float, at_least: int) -> None:
    """Every way to spread two units over keys of nobody, of one person, and at the threshold; both
    directions, by exhaustive sums.
    """
    threshold = smallest_threshold(1.5, 0.01, 2, at_least=at_least)
    delta = factor * threshold.delta
    epsilon = pld_epsilon(threshold_steps(threshold), delta)
    assert 0 < epsilon <= threshold.epsilon + 1e-3
    for before in itertools.product((0, 1, threshold.K - 1, threshold.K + 1), repeat=2):
        for added in ((2, 0), (1, 1), (1, 0)):
            laws = [
                [shown(count, threshold) for count in counts] for counts in (before, np.add(before, added))
            ]
            without, with_her = (np.multiply.outer(*law).ravel() for law in laws)
            for likely, unlikely in ((without, with_her), (with_her, without)):
                assert np.maximum(likely - math.exp(epsilon) * unlikely, 0).sum() <= delta * (1 + 1e-9)


def test_the_sampler_is_charged_and_a_huge_epsilon_leaves_nothing_tight() -> None:
    (_noise, tail) = laplace_steps(2, 1.0)
    assert isinstance(tail, TailStep)
    assert 2 * DiscreteLaplace(1.0).statistical_distance * (1 + math.exp(2)) ** 2 <= tail.delta < 1e-30
    assert laplace_steps(1000, 1.0)[1] == TailStep(1.0)


def test_a_laplace_step_is_at_most_its_pure_epsilon() -> None:
    assert 1.5 < pld_epsilon([LaplaceStep(1.0, 2)], 1e-9) <= 2.0002  # the grid of the distribution is 1e-4


@pytest.mark.parametrize(
    "step", [PromisedStep(1.0, 1e-6), GaussianStep(2.0), LaplaceStep(4.0, 1), TailStep(1e-9)]
)
def test_a_step_survives_the_ledger(step: Step) -> None:
    assert step_from_json(step.as_json()) == step


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(InputError, match="unknown"):
        step_from_json({"step": "unknown"})


def test_a_ledger_is_accounted_by_steps_or_by_promises(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "ledger.sqlite", "hash", "store")
    with Ledger.open(tmp_path / "ledger.sqlite", "hash", "store") as ledger:
        ledger.set_budget(10.0, 1e-3)
        ledger.charge(pure(1.0), "A", "a")
        ledger.charge(approximate(5.0, 1e-6), "B", "b", steps=[GaussianStep(0.25).as_json()])
        assert (
            ledger_epsilon(ledger.entries(), 1e-5)
            == pld_epsilon([PromisedStep(1.0), GaussianStep(0.25)], 1e-5)
            < 3.0
        )
        ledger.charge(NO_GUARANTEE, "C", "c", allow_unprotected=True)
        assert ledger_epsilon(ledger.entries(), 1e-5) == math.inf
