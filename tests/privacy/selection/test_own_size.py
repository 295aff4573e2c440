"""Lengths by own size: every size stays within δ, none could be longer,
and the ledger is charged the worst.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms.crowd import Crowd
from crowdlog.plan.selections import KeySelection, WeightedRounds
from crowdlog.privacy.accounting import GaussianStep, TailStep
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.adaptive_gaussian import OWN_SHARE, AdaptiveGaussian, in_noise, lengths_of
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.own_size import OwnSizes, Part, cost, own_sizes
from tests.privacy.selection.small import make

SETTINGS = [(1.0, 1e-5), (math.log(10), 1e-5), (1.0, 1e-8), (8.0, 1e-6)]


def exact_cost(epsilon: float, mus: list[float], bars: list[float], mu_counts: float, size: int):
    """Noise, and keys of pure noise by the smaller of the two bounds,
    at 300 bits and without any shortcut.
    """
    with mpmath.workprec(300):
        e = mpmath.mpf(epsilon)
        whole = mpmath.sqrt(sum(mpmath.mpf(mu) ** 2 for mu in mus) + mpmath.mpf(mu_counts) ** 2)
        noise = mpmath.ncdf(whole / 2 - e / whole) - mpmath.exp(e) * mpmath.ncdf(-whole / 2 - e / whole)
        keys = mpmath.mpf(0)
        for mu, bar in zip(mus, bars, strict=True):
            alone = 1 - mpmath.ncdf(mpmath.mpf(bar)) ** size
            quantile = -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * alone)
            keys += min(mpmath.exp(e) * alone, mpmath.ncdf(quantile + mu))
        return noise + keys


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_every_size_costs_at_most_delta(epsilon: float, delta: float) -> None:
    """With the whole numbers that are really used: length over noise."""
    found = AdaptiveGaussian().settings(epsilon, delta)
    bar = in_noise(found.threshold, found.mu)
    sizes = np.arange(1, 301)
    mus = found.mu * found.sizes.lengths(sizes, kernels.UNIT) / kernels.UNIT
    costs = [exact_cost(epsilon, [mus[k - 1]], [bar], 0.0, k) for k in (1, 2, 3, 5, 19, 100, 200, 201, 300)]
    assert all(one <= delta for one in costs)
    assert costs[-1] > 0.99 * delta
    assert np.all(np.diff(mus) <= 0)


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_no_size_could_have_longer_vectors(epsilon: float, delta: float) -> None:
    mu, tail = AdaptiveGaussian().split(epsilon, delta)[0], OWN_SHARE * delta
    part = Part(mu, AdaptiveGaussian(200).bar(mu, tail, epsilon))
    for size, factor in own_sizes(epsilon, delta, (part,), 0.0, 300).pairs():
        assert cost(epsilon, (part,), 0.0, size, factor) <= delta
        assert cost(epsilon, (part,), 0.0, size, factor * (1 + 1e-7)) > delta


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_the_threshold_is_that_of_two_thirds_of_the_items(epsilon: float, delta: float) -> None:
    mu, tail = AdaptiveGaussian().split(epsilon, delta)[0], OWN_SHARE * delta
    found = AdaptiveGaussian().settings(epsilon, delta)
    assert in_noise(found.threshold, found.mu) == pytest.approx(AdaptiveGaussian(200).bar(mu, tail, epsilon))


def test_one_size_for_all_selections_of_a_release_pays_for_all_of_them() -> None:
    """Noise, clicks, pairs and counts of Crowd together, at the lengths that are used."""
    crowd = Crowd(epsilon=1, delta=1e-6)
    rounds = [plan.selection for plan in crowd.plan if isinstance(plan.selection, WeightedRounds)]
    mu_counts = math.sqrt(sum((4 / plan.noise.sd) ** 2 for plan in crowd.plan))
    for size in (1, 7, 60, 200):
        (length,) = crowd.own.lengths(np.array([size]), kernels.UNIT)
        mus = [one.mu * length / kernels.UNIT for one in rounds]
        bars = [in_noise(one.threshold, one.mu) for one in rounds]
        spent = exact_cost(1.0, mus, bars, mu_counts, size)
        assert 0.97e-6 < spent <= 1e-6
    assert len(rounds) == 3


def test_the_ledger_is_charged_the_longest_vectors_and_the_worst_tail() -> None:
    """Which size is worst depends on the other releases, and a user may have another size in each: so the
    longest vectors and the largest tail, though no single user has both.
    """
    gaussian, tail = KeySelection(AdaptiveGaussian(), 1.0, 1e-5).accounting()
    assert isinstance(gaussian, GaussianStep)
    assert isinstance(tail, TailStep)
    found = AdaptiveGaussian().settings(1.0, 1e-5)
    part = Part(found.mu / found.sizes.largest, in_noise(found.threshold, found.mu))
    assert gaussian.mu == found.mu
    for size in range(1, 301):
        factor = found.sizes.factors[int(np.searchsorted(found.sizes.sizes, size))]
        assert part.shown(size, factor) <= tail.delta * (1 + 1e-9)


def test_the_tail_is_not_that_of_the_most_items() -> None:
    """Where noise hardly matters, users with fewer items and much longer vectors show their keys more
    often.
    """
    parts = (Part(0.05, 4.2),)
    sizes = OwnSizes((1, 200), (60.0, 1.0))
    assert sizes.tail(parts) == parts[0].shown(1, 60.0) > parts[0].shown(200, 1.0)


def test_a_length_follows_from_the_size_in_the_whole_release_not_from_what_is_left() -> None:
    """She has 250 clicks, one of them of a shown query: her vectors stay those of 250."""
    own = AdaptiveGaussian().settings(1.0, 1e-5).sizes
    shown = make([[0], [0, 1]], 2)
    many, few = lengths_of(shown, own, np.array([250, 2]))
    assert many == own.lengths(np.array([250]), kernels.UNIT)[0] < few
    assert lengths_of(shown, own, np.array([9999, 2]))[0] == own.lengths(np.array([300]), kernels.UNIT)[0]


def test_users_beyond_the_counted_ones_have_nothing() -> None:
    own = AdaptiveGaussian().settings(1.0, 1e-5).sizes
    assert lengths_of(make([[0]], 1), own, np.array([1, 0, 5])).tolist() == [kernels.UNIT]
    trailing = Incidence(np.array([0, 1, 1]), np.array([0], np.int32), 1)
    assert lengths_of(trailing, own, np.array([1])).tolist() == [kernels.UNIT] * 2


def test_a_size_that_is_too_small_is_our_fault_and_stops_the_release() -> None:
    own = AdaptiveGaussian().settings(1.0, 1e-5).sizes
    with pytest.raises(ValueError, match="more items than her size"):
        lengths_of(make([[0, 1]], 2), own, np.array([1]))
    with pytest.raises(ValueError, match="at most 300 are foreseen"):
        own.lengths(np.array([301]), kernels.UNIT)


def test_sizes_that_do_not_rise_are_refused() -> None:
    with pytest.raises(InputError, match="must rise"):
        OwnSizes((2, 1), (1.0, 1.0))
    with pytest.raises(InputError, match="must rise"):
        OwnSizes((1, 2), (1.0, 1.1))
