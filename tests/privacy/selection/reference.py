"""The published selections as their papers state them: floats and plain loops over users, written without
looking at crowdlog's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm

Sets = list[NDArray[np.int64]]


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """The noise of the analytic Gaussian mechanism at sensitivity 1 (Balle and Wang 2018)."""

    def excess(sigma: float) -> float:
        return float(
            norm.cdf(0.5 / sigma - epsilon * sigma)
            - math.exp(epsilon) * norm.cdf(-0.5 / sigma - epsilon * sigma)
            - delta
        )

    return float(brentq(excess, 1e-3, 1e3))


def threshold(sigma: float, delta: float, most: int) -> float:
    """ρ of Gopi et al. 2020, Theorem 5.1: the largest over t of 1/√t + σΦ⁻¹((1 − δ)^(1/t))."""
    return max(1 / math.sqrt(t) + sigma * norm.ppf((1 - delta) ** (1 / t)) for t in range(1, most + 1))


def sample(sets: Sets, most: int, rng: np.random.Generator) -> Sets:
    """At most `most` random items of each user."""
    return [s if len(s) <= most else rng.choice(s, most, replace=False) for s in sets]


def noisy(weights: dict[int, float], sigma: float, bar: float, rng: np.random.Generator) -> set[int]:
    return {item for item, weight in weights.items() if weight + rng.normal(0, sigma) >= bar}


def even(sets: Sets) -> dict[int, float]:
    """Each user gives 1/√n to each of her n items."""
    weights: dict[int, float] = {}
    for own in sets:
        for item in own.tolist():
            weights[item] = weights.get(item, 0.0) + 1 / math.sqrt(len(own))
    return weights


def weighted_gaussian(
    sets: Sets, epsilon: float, delta: float, most: int, rng: np.random.Generator
) -> set[int]:
    """Gopi et al. 2020, Algorithm 3."""
    sigma = gaussian_sigma(epsilon, delta / 2)
    return noisy(even(sample(sets, most, rng)), sigma, threshold(sigma, delta / 2, most), rng)


def policy_gaussian(
    sets: Sets, epsilon: float, delta: float, most: int, alpha: float, rng: np.random.Generator
) -> set[int]:
    """Gopi et al.

    2020, Algorithm 6 and the ℓ2-descent of Algorithm 7: cut-off Γ = ρ + ασ, users in random order.
    """
    sigma = gaussian_sigma(epsilon, delta / 2)
    bar = threshold(sigma, delta / 2, most)
    cutoff, weights = bar + alpha * sigma, dict[int, float]()
    bounded = sample(sets, most, rng)
    for user in rng.permutation(len(bounded)):
        gaps = {
            item: cutoff - weights.get(item, 0.0)
            for item in bounded[user].tolist()
            if weights.get(item, 0.0) < cutoff
        }
        length = math.sqrt(sum(gap * gap for gap in gaps.values()))
        for item, gap in gaps.items():
            weights[item] = weights.get(item, 0.0) + (gap if length <= 1 else gap / length)
    return noisy(weights, sigma, bar, rng)


def dp_sips(
    sets: Sets, epsilon: float, delta: float, most: int, parts: list[float], rng: np.random.Generator
) -> set[int]:
    """Swanberg et al. 2023, Algorithm 1: weighted Gaussian in rounds over what is not released yet.

    Rounds composed as one Gaussian mechanism.
    """
    whole, bounded, found = gaussian_sigma(epsilon, delta / 2), sample(sets, most, rng), set[int]()
    for part in parts:
        sigma, waiting = (
            whole / math.sqrt(part),
            [np.array([i for i in s.tolist() if i not in found], np.int64) for s in bounded],
        )
        found |= noisy(even(waiting), sigma, threshold(sigma, part * delta / 2, most), rng)
    return found


def mad_weights(
    sets: Sets, biases: dict[int, float], target: float, adaptive: int, discount: float, lift: float
) -> dict[int, float]:
    """One round of Chen et al. 2025: users with at most `adaptive` items put 1/√n of their weight at stake,
    take back what an item has beyond the target, and spread a part of it evenly.
    """
    weights, at_stake = dict[int, float](), dict[int, float]()
    gave: list[dict[int, float]] = []
    for own in sets:
        n, plain = len(own), [i for i in own.tolist() if biases[i] == 1]
        used = sum(biases[i] ** 2 for i in own.tolist() if biases[i] < 1)
        if plain:
            scale, full = 1.0, min(lift, math.sqrt((n - used) / len(plain)))
        else:
            scale, full = math.sqrt(n / used), 1.0
        given = {i: (full if biases[i] == 1 else scale * biases[i]) / math.sqrt(n) for i in own.tolist()}
        gave.append({i: weight / math.sqrt(n) if n <= adaptive else 0.0 for i, weight in given.items()})
        for i, weight in given.items():
            weights[i] = weights.get(i, 0.0) + weight - gave[-1][i]
            at_stake[i] = at_stake.get(i, 0.0) + gave[-1][i]
    for own, given in zip(sets, gave, strict=True):
        back = sum(part * max(0.0, 1 - target / at_stake[i]) for i, part in given.items() if part)
        for i in own.tolist():
            weights[i] += discount * back / len(own)
    return {i: weight + min(at_stake[i], target) for i, weight in weights.items()}
