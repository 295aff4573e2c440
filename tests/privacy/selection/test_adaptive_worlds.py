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

from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian, in_noise
from crowdlog.privacy.selection.own_size import OwnSizes, Part

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


def bar_of(part: Part, size: int) -> float:
    """The normal quantile that one key must pass, as improbable as that any of so many keys of a user passes
    by noise.
    """
    return float(-norm.ppf(-math.expm1(size * norm.logcdf(part.bar))))


def at_its_settings(epsilon: float, delta: float) -> tuple[Part, OwnSizes]:
    """Noise and threshold that the selection really uses."""
    found = AdaptiveGaussian().settings(epsilon, delta)
    return Part(found.mu / found.sizes.largest, in_noise(found.threshold, found.mu)), found.sizes


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS)
@pytest.mark.parametrize("place", [0, 7, -1])
def test_no_world_exceeds_delta_whatever_her_size_and_some_come_near(
    epsilon: float, delta: float, place: int
) -> None:
    part, sizes = at_its_settings(epsilon, delta)
    mu = part.mu * sizes.factors[place]
    found = worst_delta(epsilon, mu, bar_of(part, sizes.sizes[place]))
    assert 0.999 * delta < found <= delta


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS[:3])
def test_the_worlds_find_a_threshold_that_forgets_the_users_own_weight(epsilon: float, delta: float) -> None:
    mu, tail = AdaptiveGaussian().split(epsilon, delta)
    assert worst_delta(epsilon, mu, float(-norm.ppf(tail))) > 1.2 * delta


@pytest.mark.parametrize(("epsilon", "delta"), SETTINGS[:3])
def test_the_worlds_find_a_user_with_many_items_and_the_length_of_few(epsilon: float, delta: float) -> None:
    part, sizes = at_its_settings(epsilon, delta)
    assert worst_delta(epsilon, part.mu * sizes.largest, bar_of(part, sizes.sizes[-1])) > 1.2 * delta


def test_the_worlds_find_noise_that_uses_up_delta_alone() -> None:
    part, sizes = at_its_settings(1.0, 1e-6)
    assert worst_delta(1.0, 1.05 * part.mu, bar_of(part, sizes.sizes[-1])) > 1e-6
