"""The adaptive selection: its noise adds up to one Gaussian mechanism, its threshold covers a user's own
keys, and it keeps most.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from crowdlog.plan.selections import WeightedRounds
from crowdlog.privacy.gaussian import gaussian_delta, upper_quantile
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.adaptive_gaussian import (
    WHOLE,
    AdaptiveGaussian,
    in_noise,
    in_weight,
    round_noise,
)
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.weighted_gaussian import WeightedGaussian
from tests.privacy.selection.small import make, skewed

SETTINGS = [(math.log(10), 1e-5), (1.0, 1e-6), (1.0, 1e-8)]


@pytest.mark.parametrize("rounds", [1, 2, 12, 16, 40])
def test_the_rounds_cost_no_more_than_the_whole(rounds: int) -> None:
    method, mu = AdaptiveGaussian(rounds=rounds), 0.5541
    scales = [round_noise(mu, share) for share in method.shares()]
    assert sum((kernels.UNIT / Fraction(scale)) ** 2 for scale in scales) <= Fraction(mu) ** 2
    assert sum(method.shares()) == WHOLE


def noise_alone(bar: float, keys: int) -> mpmath.mpf:
    """The probability that any of so many keys passes the threshold as pure noise."""
    with mpmath.workprec(200):
        return 1 - mpmath.ncdf(mpmath.mpf(bar)) ** keys


@pytest.mark.parametrize(("epsilon", "delta"), [*SETTINGS, (8.0, 1e-6)])
def test_noise_and_own_keys_use_up_delta_and_no_more_where_all_vectors_are_alike(
    epsilon: float, delta: float
) -> None:
    method = AdaptiveGaussian()
    mu, tail = method.split(epsilon, delta)
    keys = noise_alone(method.bar(mu, tail, epsilon), method.items_per_user)
    assert 0.99 * delta < gaussian_delta(epsilon, mu) + mpmath.exp(epsilon) * keys <= delta


@pytest.mark.parametrize("mu", [0.03, 0.15])
def test_a_selection_that_is_a_small_part_has_the_threshold_of_its_own_noise(mu: float) -> None:
    """At μ ≤ 0.15 and ε = 1 a user changes chances by less than e^ε: her keys are charged by what they do
    with her.
    """
    method, tail = AdaptiveGaussian(), 1e-6
    threshold = method.threshold(mu, tail, 1.0)
    assert threshold <= (1 + 1e-9) * AdaptiveGaussian().threshold(mu, tail, 9.0)
    assert 0.9999 * tail < shown_at_most(method, mu, threshold) <= tail
    assert mpmath.e * noise_alone(in_noise(threshold, mu), method.items_per_user) > tail
    weight_of_one = 1 + 0.5 / kernels.UNIT + upper_quantile(tail, method.items_per_user) / mu
    assert threshold < weight_of_one  # the bound for weights of at most 1 each, all at once


def shown_at_most(method: AdaptiveGaussian, mu: float, threshold: float) -> float:
    return WeightedRounds(method, mu, threshold, 0.0).own_keys


@pytest.mark.parametrize(("epsilon", "delta"), [*SETTINGS, (8.0, 1e-6)])
def test_own_keys_are_bounded_at_any_epsilon(epsilon: float, delta: float) -> None:
    """Not by e^ε, which grows in a composition, but by what a Gaussian mechanism can make of pure noise."""
    method = AdaptiveGaussian()
    mu, tail = method.split(epsilon, delta)
    bar = method.bar(mu, tail, epsilon)
    expected = norm.cdf(norm.ppf(float(noise_alone(bar, method.items_per_user))) + mu)
    found = shown_at_most(method, mu, in_weight(bar, mu))
    assert expected * (1 - 1e-9) < found < expected * (1 + 1e-6)


def test_at_the_reported_setting_noise_and_threshold_are_the_measured_ones() -> None:
    promise = AdaptiveGaussian().promise(math.log(10), 1e-5)
    assert promise.sd == pytest.approx(1.758, abs=1e-3)
    assert promise.bar == pytest.approx(10.346, abs=1e-3)


def test_it_keeps_far_more_than_even_weights() -> None:
    log = skewed(20_000, 11)
    ours, even = (
        len(m.select(log, math.log(10), 1e-5, SeededRandomness(1)).items)
        for m in (AdaptiveGaussian(), WeightedGaussian())
    )
    assert ours > 1.3 * even


def test_kept_weights_reach_the_threshold() -> None:
    selected = AdaptiveGaussian().select(skewed(), 1.0, 1e-5, SeededRandomness(6))
    assert len(selected.weights) == len(selected.items) > 0
    assert selected.weights.min() >= AdaptiveGaussian().promise(1.0, 1e-5).bar


def test_neither_the_order_of_users_nor_the_numbers_of_others_matter_to_the_sums() -> None:
    """The same noise on the same items gives the same result when users come in another order."""
    sets = [sorted({(k * 7) % 11, (k * 3) % 11, k % 4}) for k in range(300)]
    one, other = (
        AdaptiveGaussian().select(make(order, 11), 1.0, 0.01, SeededRandomness(2))
        for order in (sets, sets[::-1])
    )
    assert one.items.tolist() == other.items.tolist()
    assert one.weights.tolist() == other.weights.tolist()


def test_public_priors_help_the_items_they_favour() -> None:
    log = skewed()
    popular = np.argsort(-log.holders())[:400]
    prior = np.full(log.size, 0.3)
    prior[popular] = 1.0
    plain, helped = (
        AdaptiveGaussian().run(log, 0.55, 10.9, SeededRandomness(3), prior=p).items for p in (None, prior)
    )
    assert np.isin(helped, popular).sum() > np.isin(plain, popular).sum() > 0


def test_equal_priors_change_next_to_nothing() -> None:
    log = skewed()
    plain, halved = (
        len(AdaptiveGaussian().run(log, 0.55, 10.9, SeededRandomness(3), prior=p).items)
        for p in (None, np.full(log.size, 0.5))
    )
    assert abs(plain - halved) <= 0.05 * plain


def test_an_item_nobody_holds_is_never_kept() -> None:
    log = Incidence(np.array([0, 1]), np.array([7], np.int32), 5000)
    for seed in range(50):
        assert set(AdaptiveGaussian().select(log, 1.0, 0.9, SeededRandomness(seed)).items.tolist()) <= {7}


def test_a_user_can_be_told_apart_no_better_than_promised() -> None:
    """Empirical δ at ε of the event that counts most against the method: a pair of shared items near the
    threshold, with and without one user.
    """
    epsilon, delta, runs = 1.0, 0.2, 1500
    method = AdaptiveGaussian(rounds=4)
    shared = [[k, k + 1] for k in range(0, 2 * runs, 2)]
    crowd = [s for s in shared for _ in range(3)]
    with_user, without = make([*crowd, *shared], 2 * runs), make(crowd, 2 * runs)
    seen = [
        set((method.select(log, epsilon, delta, SeededRandomness(5)).items // 2).tolist())
        for log in (with_user, without)
    ]
    p, q = (len(s) / runs for s in seen)
    slack = 6 * math.sqrt(0.25 / runs) * (1 + math.e)
    assert p <= math.exp(epsilon) * q + delta + slack
    assert (1 - q) <= math.exp(epsilon) * (1 - p) + delta + slack
    assert p > q
