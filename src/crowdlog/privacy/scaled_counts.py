"""How many people hold each key, all tables in one vector: who holds much is scaled down, not sampled. Proof:
proofs/ladder.md, Lemma 5.

Everything a person adds is a whole number and a function of her own keys, of weights and of bounds that are
public by then. Squared lengths are sums of squares of whole numbers: exact in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import LARGEST_SIGMA, RoundedGaussian
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.kernels import SHRINK
from crowdlog.types import Floats, Ints

UNIT = 1 << 18  # the weight of a key is a whole number of 1/UNIT, at most 1
PART = 1 << 12  # a person's part of a sum is a whole number of 1/PART, at most 1
# Levels of squared lengths: 16ths of powers of two, from 2⁻¹⁶ to 2⁸.
LOWEST, HIGHEST, STEPS = -16, 8, 16
LEVELS = np.array(
    [int(UNIT**2 * 2.0 ** (k / STEPS)) for k in range(LOWEST * STEPS, HIGHEST * STEPS + 1)], np.int64
)
# Bounds that are tried, as squares of multiples of the typical length; and how many people may lie above.
TRIED, ABOVE = (2.0, 3.5, 6.0, 10.0, 17.0, 30.0, 50.0), 0.06
# Where so few people may lie above a bound, in standard deviations of the noise, no bound can be found.
TELLING = 0.35
COARSE = 4  # the typical level is rounded to fourths of a power of two
CAP = 4  # squared lengths count up to so many times the squared bound where the kept share is measured


@dataclass(frozen=True)
class ScaledSums:
    """Noisy sums of weights over people, each person scaled to the bound; all in 1/UNIT."""

    sums: Ints
    weights: Ints
    bound: int
    mu: float

    @property
    def sd(self) -> float:
        return self.bound / self.mu

    @property
    def people(self) -> Floats:
        """The estimated number of people of each key, too low by what scaling down long vectors removed."""
        return self.sums / self.weights

    @property
    def noise(self) -> Floats:
        """The standard deviation of the noise in `people`."""
        return self.sd / self.weights

    def __repr__(self) -> str:
        return f"ScaledSums({len(self.sums)} keys)"


def as_weights(wanted: Floats) -> Ints:
    """Positive numbers as whole weights, the largest 1."""
    largest = wanted.max(initial=0.0)
    return np.maximum(1, (wanted / (largest or 1.0) * UNIT).astype(np.int64))


def squared_lengths(incidence: Incidence, weights: Ints) -> Ints:
    """The squared length of each person's vector, as an integer in units of 1/UNIT²."""
    if len(weights) >= 1 << 26:
        raise ValueError("sums of squares of so many keys do not fit into 64 bits")
    lengths: Ints = _squares(incidence.offsets, incidence.items, weights)
    return lengths


def longest_length(weights: Ints) -> int:
    """The length of who has every key: no person's vector is longer."""
    return math.isqrt(int((weights**2).sum())) + 1


def find_bound(squares: Ints, longest: int, mu: float, randomness: Randomness) -> int:
    """A length, in 1/UNIT, that about 6 % of the people with any key exceed; `longest`, which is public and
    which nobody exceeds, where it is shorter and where the noise is too large to tell. Costs μ.

    Half of μ² finds the typical level (people and their levels: two sums), half counts who is above each of
    seven multiples.
    """
    part = mu / math.sqrt(2)
    levels = np.searchsorted(LEVELS, squares, side="right")
    holders = squares > 0
    sums = [int(holders.sum()) * PART, int((levels[holders] * PART // (len(LEVELS) + 1)).sum())]
    people, level = _noisy(sums, part, randomness)
    typical = level / max(people, PART) * (len(LEVELS) + 1) / STEPS + LOWEST
    typical = min(max(round(typical * COARSE) / COARSE, LOWEST), HIGHEST)
    bounds = [math.isqrt(int(UNIT**2 * 2.0**typical * times)) for times in TRIED]
    above = _noisy([int((squares > bound * bound).sum()) * PART for bound in bounds], part, randomness)
    allowed = ABOVE * people
    if allowed < TELLING * _noise_of(len(bounds), part):
        return longest
    found = next((bound for bound, more in zip(bounds, above, strict=True) if more <= allowed), bounds[-1])
    return min(found, longest)


def smallest_mu() -> float:
    """Of `find_bound` and `kept_share`: their noise can be drawn from here on."""
    return PART * math.sqrt(2 * len(TRIED)) / LARGEST_SIGMA * ROOM_ABOVE**2


def longest_bound(mu: float) -> int:
    """The longest length whose noise of this μ can be drawn: public, so that cutting a bound found with noise
    down to it costs nothing.
    """
    return max(1, math.floor(LARGEST_SIGMA * mu / ROOM_ABOVE**2))


def _noise_of(sums: int, mu: float) -> float:
    """The standard deviation, in 1/PART, of the noise in so many sums that cost this μ together."""
    return PART * math.sqrt(sums) / mu * ROOM_ABOVE


def _noisy(sums: list[int], mu: float, randomness: Randomness) -> list[int]:
    """Sums to which a person adds a vector of parts, none above 1, with noise of this μ altogether."""
    noise = RoundedGaussian(_noise_of(len(sums), mu)).draw(len(sums), randomness)
    return [value + int(drawn) for value, drawn in zip(sums, noise, strict=True)]


def noisy_people(
    incidence: Incidence, weights: Ints, bound: int, mu: float, randomness: Randomness
) -> ScaledSums:
    """The sums with noise of this μ: a person adds a vector of length at most `bound`."""
    sums = scaled(incidence, weights, bound)
    noise = RoundedGaussian(bound / mu * ROOM_ABOVE).draw(len(weights), randomness)
    return ScaledSums(sums + noise, weights, bound, mu)


def kept_share(squares: Ints, bound: int, mu: float, randomness: Randomness) -> tuple[float, float]:
    """About which share of the weight is left after scaling to the bound, and the standard deviation of the
    noise in that. Costs μ.

    Two sums over people: her squared length, up to CAP times the squared bound, and what scaling takes of it.
    """
    cap = CAP * bound**2
    fits = cap <= np.iinfo(np.int64).max // PART  # else whole numbers of any size
    parts = (np.minimum(squares, cap).astype(np.int64 if fits else object) * PART // cap).astype(np.int64)
    taken = 1 - bound / np.sqrt(np.maximum(squares, bound**2).astype(np.float64))
    lost = np.floor(parts * np.clip(taken, 0, 1)).astype(np.int64)
    whole, gone = _noisy([int(parts.sum()), int(lost.sum())], mu, randomness)
    noise = _noise_of(2, mu)
    share = gone / max(whole, noise)
    return 1 - share, noise / max(whole, noise) * math.hypot(1, share)


def scaled(incidence: Incidence, weights: Ints, bound: int) -> Ints:
    """Σ over people of their weights, scaled down so that no person's vector is longer than the bound. Not
    private yet.
    """
    squares = squared_lengths(incidence, weights)
    sums: Ints = _scaled(incidence.offsets, incidence.items, weights, squares, bound)
    return sums


@njit(cache=True)
def _squares(offsets: Any, items: Any, weights: Any) -> Any:
    squares = np.zeros(len(offsets) - 1, np.int64)
    for user in range(len(offsets) - 1):
        for place in range(offsets[user], offsets[user + 1]):
            squares[user] += weights[items[place]] * weights[items[place]]
    return squares


@njit(cache=True)
def _scaled(offsets: Any, items: Any, weights: Any, squares: Any, bound: int) -> Any:
    total = np.zeros(len(weights), np.int64)
    for user in range(len(offsets) - 1):
        within = squares[user] <= bound * bound
        scale = 1.0 if within else SHRINK * bound / np.sqrt(np.float64(squares[user]))
        for place in range(offsets[user], offsets[user + 1]):
            weight = weights[items[place]]
            total[items[place]] += weight if within else np.int64(scale * np.float64(weight))
    return total
