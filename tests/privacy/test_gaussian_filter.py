"""Refusals by Σμ²: thirty releases where the sum allows six, and not one too many."""

import math
from pathlib import Path

import pytest

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.privacy.gaussian import gaussian_delta
from crowdlog.privacy.gaussian_filter import gaussian_parts, limits, promised_parts
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.ledger import Ledger

CROWD = parse("Crowd(epsilon=1, delta=1e-7)").promise()


@pytest.fixture
def ledger(tmp_path: Path):
    Ledger.create(tmp_path / "ledger.sqlite", "hash", "store")
    with Ledger.open(tmp_path / "ledger.sqlite", "hash", "store") as ledger:
        yield ledger


def charge(ledger: Ledger, number: int) -> None:
    ledger.charge(CROWD.guarantee, "Crowd", f"out{number}", steps=CROWD.accounting)


def test_thirty_releases_fit_and_the_first_that_would_exceed_it_is_refused(ledger: Ledger) -> None:
    ledger.set_budget(6.0, 1e-5, "gaussian")
    parts = gaussian_parts(CROWD.accounting)
    assert parts is not None
    most_squares, most_tails = limits(6.0, 1e-5)
    most = min(int(most_squares / parts[0]), int(most_tails / parts[1]))
    assert most >= 30
    for number in range(most):
        charge(ledger, number)
    with pytest.raises(PrivacyRefusal, match=r"Σμ²|thresholds"):
        charge(ledger, most)
    assert len(ledger.entries()) == most
    mu = math.sqrt(float(most * parts[0]))
    assert gaussian_delta(6.0, mu) + float(most * parts[1]) <= 1e-5


def test_the_sum_allows_six(ledger: Ledger) -> None:
    ledger.set_budget(6.0, 1e-5)
    for number in range(6):
        charge(ledger, number)
    with pytest.raises(PrivacyRefusal, match="needs ε"):
        charge(ledger, 6)


def test_other_noise_is_refused_under_this_rule(ledger: Ledger) -> None:
    ledger.set_budget(6.0, 1e-5, "gaussian")
    laplace = parse("DPu(epsilon=1, delta=1e-7, d=2)").promise()
    for steps in (laplace.accounting, ()):
        with pytest.raises(PrivacyRefusal, match="Gaussian releases only"):
            ledger.charge(approximate(1.0, 1e-7), "DPu", "out", steps=steps)


def test_the_rule_is_fixed_by_the_first_charge(ledger: Ledger) -> None:
    ledger.set_budget(6.0, 1e-5, "gaussian")
    ledger.set_budget(6.0, 1e-5)
    ledger.set_budget(6.0, 1e-5, "gaussian")
    charge(ledger, 0)
    with pytest.raises(InputError, match="fixed by the first release"):
        ledger.set_budget(6.0, 1e-5)
    ledger.set_budget(7.0, 1e-5, "gaussian")


def test_a_path_that_shifts_delta_between_noise_and_tails_would_break_the_promise() -> None:
    """Why both halves are fixed in advance: the counter-example of the proof, in numbers."""
    epsilon, delta = 1.0, 1e-2
    first = 0.2
    whole = float(limits(epsilon, 2 * delta)[0]) ** 0.5  # all of δ for noise
    rest = delta - gaussian_delta(epsilon, first)
    # After the first release half of the paths (Z < 0) spend the rest on tails; the others go on with noise.
    # What
    # those first ones would have added by going on is less than what they add now.
    import numpy as np

    z = np.linspace(-8, 8, 200_001)
    weight = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    ratio = np.exp(first * z - first**2 / 2)  # dP/dQ, under Q
    left = math.sqrt(whole**2 - first**2)
    going_on = np.array([_call(x, left, epsilon) for x in ratio[::100]])
    going_on = np.interp(z, z[::100], going_on)
    low = z < 0
    total = float((weight * np.where(low, 0.0, going_on)).sum() + rest * (weight * ratio * low).sum())
    assert total > delta * 1.05


def _call(x: float, s: float, epsilon: float) -> float:
    """E[(x·exp(sZ − s²/2) − e^ε)₊]."""
    from scipy.stats import norm

    d = (math.log(x) - epsilon) / s
    return float(x * norm.cdf(d + s / 2) - math.exp(epsilon) * norm.cdf(d - s / 2))


def test_what_was_booked_counts_and_blocks_nothing_that_fits(ledger: Ledger) -> None:
    """Spent elsewhere, before or after: it takes its part of Σμ² and of the tails, and says so truly."""
    ledger.set_budget(6.0, 1e-5, "gaussian")
    charge(ledger, 0)
    ledger.book(approximate(0.1, 1e-7))
    charge(ledger, 1)
    assert len(ledger.entries()) == 3
    ledger.book(approximate(1.0, 0.0))  # more than is left: booked all the same, it is spent
    with pytest.raises(PrivacyRefusal, match=r"Σμ² would be 1\.\d+, and ε = 6, δ = 1e-05 allow") as refused:
        charge(ledger, 2)
    assert "Gaussian releases only" not in str(refused.value)


def test_tails_that_were_booked_count(ledger: Ledger) -> None:
    ledger.set_budget(6.0, 1e-5, "gaussian")
    ledger.book(approximate(0.01, 5e-6))
    with pytest.raises(PrivacyRefusal, match="the δ of thresholds would be"):
        charge(ledger, 0)


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.01, 0.1, 0.7, 1.0, 2.3, 5.0, 20.0, 599.0, 601.0, 5000.0])
def test_a_gaussian_step_covers_every_promise_of_this_epsilon(epsilon: float) -> None:
    """Lemma 4 at every order: randomised response, the worst that is ε-private, has no larger divergence."""
    squares, tails = promised_parts(epsilon, 1e-6)
    assert float(tails) == 1e-6
    mu = math.sqrt(float(squares))
    for order in (0.0, 1e-12, epsilon / 7, epsilon / 2, epsilon * 0.99, epsilon * 1.01):
        response = -math.expm1(order - epsilon) / (1 + math.exp(-epsilon)) if order < epsilon else 0.0
        assert gaussian_delta(order, mu * (1 + 1e-12) + 1e-300) >= response * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.3, 5.0])
def test_no_smaller_step_covers_it(epsilon: float) -> None:
    mu = math.sqrt(float(promised_parts(epsilon, 0.0)[0]))
    distance = math.tanh(epsilon / 2)  # of randomised response, in total variation
    assert gaussian_delta(0.0, mu * 0.9999) < distance <= gaussian_delta(0.0, mu)


def test_a_refusal_by_a_hair_does_not_show_two_equal_numbers(ledger: Ledger) -> None:
    """What would be spent is shown rounded up, and what is allowed rounded down."""
    ledger.set_budget(6.0, 1e-5, "gaussian")
    most = math.sqrt(float(limits(6.0, 1e-5)[0]))
    steps = [{"step": "gaussian", "mu": math.nextafter(most, math.inf)}]
    with pytest.raises(PrivacyRefusal) as refused:
        ledger.charge(approximate(5.9, 1e-6), "a release", "out", steps=steps)
    would_be, allowed = str(refused.value).split("Σμ² would be ")[1].rstrip(".").split(", and ")
    assert float(would_be) > float(allowed.rpartition("allow ")[2])
