"""The numbers of the Gaussian mechanism against other ways to compute them."""

import math

import mpmath
import pytest
from scipy.stats import norm

from crowdlog.errors import InputError
from crowdlog.privacy.gaussian import (
    check_epsilon_delta,
    gaussian_delta,
    largest_mu,
    largest_of,
    shifted,
    upper_quantile,
)

SETTINGS = [(math.log(10), 1e-5), (1.0, 1e-6), (1.0, 1e-8), (0.1, 1e-3), (8.0, 1e-10)]


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_the_largest_mu_meets_delta_and_a_little_more_does_not(epsilon: float, delta: float) -> None:
    mu = largest_mu(epsilon, delta)
    assert gaussian_delta(epsilon, mu) <= delta < gaussian_delta(epsilon, mu * (1 + 1e-9))


def test_delta_is_the_closed_form() -> None:
    epsilon, sigma = 2.302, 1.805
    closed = norm.cdf(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * norm.cdf(
        -0.5 / sigma - epsilon * sigma
    )
    assert gaussian_delta(epsilon, 1 / sigma) == pytest.approx(closed, rel=1e-9)
    assert gaussian_delta(epsilon, 1 / sigma) == pytest.approx(6e-6, rel=0.01)


def test_delta_agrees_with_dp_accounting() -> None:
    from dp_accounting.pld import privacy_loss_distribution

    curve = privacy_loss_distribution.from_gaussian_mechanism(1.805, value_discretization_interval=1e-4)
    assert (
        gaussian_delta(2.302, 1 / 1.805)
        <= curve.get_delta_for_epsilon(2.302)
        <= 1.01 * gaussian_delta(2.302, 1 / 1.805)
    )


@pytest.mark.parametrize("draws", [1, 7, 200])
@pytest.mark.parametrize("tail", [0.3, 4e-6, 1e-12])
def test_the_largest_of_several_normals_stays_below_the_quantile(tail: float, draws: int) -> None:
    z = upper_quantile(tail, draws)
    with mpmath.workprec(200):
        reached = 1 - mpmath.ncdf(z) ** draws
        assert reached <= tail
        assert reached > tail * (1 - 1e-9)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.0, 1e-6), (-1.0, 1e-6), (math.inf, 1e-6), (math.nan, 1e-6), (1.0, 0.0), (1.0, 1.0), (1.0, math.nan)],
)
def test_what_is_no_promise_is_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(InputError, match="Got"):
        check_epsilon_delta(epsilon, delta)


@pytest.mark.parametrize(("probability", "mu"), [(1e-5, 0.5), (1e-12, 0.2), (0.3, 3.0), (1e-300, 1.0)])
def test_what_a_shift_makes_of_an_event_and_back(probability: float, mu: float) -> None:
    """Φ(Φ⁻¹(p) + μ), rounded up; and the chance that one of several draws is above a quantile is what the
    quantile was made for.
    """
    expected = norm.sf(norm.isf(probability) - mu)
    assert expected * (1 - 1e-12) < shifted(probability, mu) < expected * (1 + 1e-9)
    assert probability * (1 - 1e-9) < largest_of(upper_quantile(probability, 7), 7) <= probability
    assert largest_of(-50, 3) == 1.0
