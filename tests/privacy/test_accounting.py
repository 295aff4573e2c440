"""Tight accounting: never below what is true, never above the plain sum."""

import math
from pathlib import Path

import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.accounting import GaussianStep, LaplaceStep, PromisedStep, Step, ledger_epsilon, pld_epsilon, step_from_json
from crowdlog.privacy.guarantee import NO_GUARANTEE, approximate, pure
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.noise import DiscreteGaussian


def test_nothing_costs_nothing() -> None:
    assert pld_epsilon([], 1e-6) == 0.0


def test_one_pure_step_costs_its_epsilon() -> None:
    assert 0.999 <= pld_epsilon([PromisedStep(1.0)], 1e-9) <= 1.001


def test_many_small_steps_cost_less_than_their_sum() -> None:
    assert pld_epsilon([PromisedStep(0.1)] * 50, 1e-6) < 3.3 < 50 * 0.1


def test_own_deltas_that_leave_no_room_make_epsilon_infinite() -> None:
    assert pld_epsilon([PromisedStep(0.1, 1e-5)], 1e-6) == math.inf


def test_a_gaussian_step_is_not_below_the_exact_divergence() -> None:
    """δ(ε) of one discrete Gaussian count, by summing its probabilities, at the ε that was promised."""
    noise, delta = DiscreteGaussian(4.0), 1e-5
    epsilon = pld_epsilon([GaussianStep(4.0, 1)], delta)
    excess = sum(max(0.0, math.exp(noise.log_pmf(x)) - math.exp(epsilon + noise.log_pmf(x - 1))) for x in range(-80, 81))
    assert 0.9 * delta < excess <= delta


def test_a_laplace_step_is_at_most_its_pure_epsilon() -> None:
    assert 1.5 < pld_epsilon([LaplaceStep(1.0, 2)], 1e-9) <= 2.0002  # the grid of the distribution is 1e-4


@pytest.mark.parametrize("step", [PromisedStep(1.0, 1e-6), GaussianStep(2.0, 3), LaplaceStep(4.0, 1)])
def test_a_step_survives_the_ledger(step: Step) -> None:
    assert step_from_json(step.as_json()) == step


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(InputError, match="unknown"):
        step_from_json({"step": "unknown"})


def test_a_ledger_is_accounted_by_steps_or_by_promises(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.sqlite", "hash") as ledger:
        ledger.charge(pure(1.0), "A", "a")
        ledger.charge(approximate(5.0, 1e-6), "B", "b", steps=[GaussianStep(4.0, 1).as_json()])
        assert ledger_epsilon(ledger.entries(), 1e-5) == pld_epsilon([PromisedStep(1.0), GaussianStep(4.0, 1)], 1e-5) < 3.0
        ledger.charge(NO_GUARANTEE, "C", "c", allow_unprotected=True)
        assert ledger_epsilon(ledger.entries(), 1e-5) == math.inf
