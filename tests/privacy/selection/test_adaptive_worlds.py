"""The joint δ of the adaptive selection, attacked by worlds of two rounds in which a user's strength goes
where it hurts most.

A world has one private key and one shared direction. The first round puts a part of her strength on the key.
After it, whatever the noise was, the second puts everything on the key or everything on the shared direction,
whichever reveals more. What the best observer gains over e^ε is then an integral over two normal numbers,
computed here on a grid at the real ε, δ and threshold. The private key is as likely to pass by noise alone as
all the keys of a user together, and she knows beforehand which one to help.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian

SETTINGS = [(math.log(10), 1e-5), (1.0, 1e-6), (1.0, 1e-8), (0.1, 1e-4), (4.0, 1e-6)]
SHARES, PARTS = (0.1, 0.3, 0.6, 0.9), (0.0, 0.3, 0.6, 1.0)
GRID = np.linspace(-9, 9, 241)


def above(z):
    """P(N ≥ z)."""
    return ndtr(-z)


def hockey_stick(log_ratio, mu: float, epsilon: float):
    """E(L·e^(μN − μ²/2) − e^ε)₊ for a likelihood ratio L that is known so far."""
    edge = (epsilon - log_ratio) / mu + mu / 2
    return np.exp(log_ratio) * above(edge - mu) - math.exp(epsilon) * above(edge)


def on_the_key(log_ratio, noise_needed, mu: float, epsilon: float):
    """All strength on the key: shown if N ≥ noise_needed, else only the likelihood ratio tells."""
    shown = np.exp(log_ratio) * above(noise_needed - mu)
    edge = np.minimum((epsilon - log_ratio) / mu + mu / 2, noise_needed)
    hidden = np.exp(log_ratio) * (above(edge - mu) - above(noise_needed - mu)) - math.exp(epsilon) * (
        above(edge) - above(noise_needed)
    )
    return shown + hidden


def elsewhere(log_ratio, noise_needed, mu: float, epsilon: float):
    """All strength on the shared direction: the key passes by noise alone."""
    return np.exp(log_ratio) * above(noise_needed) + ndtr(noise_needed) * hockey_stick(log_ratio, mu, epsilon)


def worst_delta(epsilon: float, mu: float, bar: float) -> float:
    """The largest δ at ε of all these worlds; the key passes by noise alone where a normal number is at least
    `bar`.
    """
    worst, density = 0.0, norm.pdf(GRID) * (GRID[1] - GRID[0])
    for share in SHARES:
        for part in PARTS:
            key, other = np.meshgrid(GRID, GRID, indexing="ij")
            first, second = mu * math.sqrt(share), mu * math.sqrt(1 - share)
            log_ratio = first * (part * key + math.sqrt(1 - part**2) * other) - first**2 / 2
            needed = (bar - math.sqrt(share) * key) / math.sqrt(1 - share)
            gained = np.maximum(
                on_the_key(log_ratio, needed, second, epsilon), elsewhere(log_ratio, needed, second, epsilon)
            )
            worst = max(worst, float(density @ gained @ density))
    return worst


def bar_of(method: AdaptiveGaussian, mu: float, threshold: float) -> float:
    """The normal quantile that one key must pass, as improbable as that any of a user's keys reaches the
    threshold by noise.
    """
    return float(-norm.ppf(-math.expm1(method.items_per_user * norm.logcdf(threshold * mu))))


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
def test_no_world_exceeds_delta_and_some_come_near(epsilon: float, delta: float) -> None:
    method = AdaptiveGaussian()
    mu, tail = method.split(epsilon, delta)
    found = worst_delta(epsilon, mu, bar_of(method, mu, method.threshold(mu, tail, epsilon)))
    assert 0.999 * delta < found <= delta


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS[:3])
def test_the_worlds_find_a_threshold_that_forgets_the_users_own_weight(epsilon: float, delta: float) -> None:
    method = AdaptiveGaussian()
    mu, tail = method.split(epsilon, delta)
    assert worst_delta(epsilon, mu, float(-norm.ppf(tail))) > 1.2 * delta


def test_the_worlds_find_noise_that_uses_up_delta_alone() -> None:
    method, epsilon, delta = AdaptiveGaussian(), 1.0, 1e-6
    mu, tail = method.split(epsilon, delta)
    assert worst_delta(epsilon, 1.05 * mu, bar_of(method, mu, method.threshold(mu, tail, epsilon))) > delta
