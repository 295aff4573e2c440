"""How long each user's vectors may be, by her own number of items: few items, few keys that only she holds.

Proof: proofs/selection-adaptive.md, "Own sizes".

A release has one or more Gaussian selections and perhaps counts. The δ of a user with k items in every
selection is δ_G(ε, μ(k)) for the noise plus what k keys of pure noise cost at the thresholds. Thresholds and
noise are the same for everybody; her factor is the largest for which both together stay within δ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from crowdlog.errors import InputError
from crowdlog.privacy.gaussian import below, gaussian_delta, largest_of, quantile, shifted
from crowdlog.privacy.rounding import sum_up
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.types import Ints

SMALL = (1, 2, 4, 8)  # sizes that have a factor of their own
STEPS = 16  # sizes above are divided into as many steps: a step costs at most 0.3 % of the length
HALVINGS = 50
STEP = 1e-9  # by how much a factor found in floats is lowered first


@dataclass(frozen=True)
class Part:
    """One selection: the μ of a user with factor 1, and the standard normal number that pure noise must
    reach for its key to pass.
    """

    mu: float
    bar: float

    def own_keys(self, size: int, factor: float, epsilon: float) -> float:
        """What the keys that one user alone holds cost of δ at this ε: the smaller of two bounds that both
        hold.
        """
        alone = largest_of(self.bar, size)
        return min(alone * math.exp(epsilon) * ROOM_ABOVE, self.shown(size, factor))

    def shown(self, size: int, factor: float) -> float:
        """At most the chance that a key which she alone holds passes, with her weight on it."""
        return shifted(largest_of(self.bar, size), self.mu * factor * ROOM_ABOVE)


@dataclass(frozen=True)
class OwnSizes:
    """Users with at most `sizes[j]` items, and more than `sizes[j − 1]`, have vectors `factors[j]` times as
    long as the reference. Sizes rise, factors fall; nobody has more items than the last size.
    """

    sizes: tuple[int, ...]
    factors: tuple[float, ...]

    def __post_init__(self) -> None:
        rising = all(one < two for one, two in zip(self.sizes, self.sizes[1:], strict=False))
        falling = all(one >= two > 0 for one, two in zip(self.factors, self.factors[1:], strict=False))
        if not (self.sizes and len(self.sizes) == len(self.factors) and rising and falling):
            raise InputError("Own sizes must rise, and their factors must not rise. Got others.")

    @property
    def largest(self) -> float:
        """The factor of users with the fewest items: noise is scaled by it."""
        return self.factors[0]

    def lengths(self, sizes: Ints, unit: int) -> Ints:
        """The length of each user's vectors in whole numbers, rounded down; `unit` is that of the fewest
        items.
        """
        if len(sizes) and sizes.max() > self.sizes[-1]:
            raise ValueError(f"a user has {sizes.max()} items, at most {self.sizes[-1]} are foreseen")
        each = [int(unit * factor / self.largest / ROOM_ABOVE) for factor in self.factors]
        each[0] = unit
        found: Ints = np.array(each, np.int64)[np.searchsorted(self.sizes, sizes)]
        return found

    def pairs(self) -> Iterator[tuple[int, float]]:
        """Each size with its factor: between two sizes nobody costs more than at the larger."""
        return zip(self.sizes, self.factors, strict=True)

    def whole(self, parts: tuple[Part, ...], mu_counts: float) -> float:
        """The μ of the whole release for the users with the longest vectors."""
        return _whole(self.largest, parts, mu_counts)

    def tail(self, parts: tuple[Part, ...]) -> float:
        """At most the chance that a key of one user alone passes in any of the selections, whatever her size;
        for composition at any ε. It does not rise with the size: longer vectors may outweigh fewer keys.
        """
        return max(sum_up(part.shown(size, factor) for part in parts) for size, factor in self.pairs())


@lru_cache(maxsize=256)
def own_sizes(epsilon: float, delta: float, parts: tuple[Part, ...], mu_counts: float, most: int) -> OwnSizes:
    """The largest factors that (ε, δ) allows for users of 1 … `most` items."""
    sizes = sorted(
        {size for size in SMALL if size < most} | {-(-most * j // STEPS) for j in range(1, STEPS + 1)}
    )
    factors = [_largest_factor(epsilon, delta, parts, mu_counts, size) for size in sizes]
    return OwnSizes(tuple(sizes), tuple(factors))


def cost(epsilon: float, parts: tuple[Part, ...], mu_counts: float, size: int, factor: float) -> float:
    """The δ at this ε of a user with this many items in every selection and vectors of this factor."""
    noise = gaussian_delta(epsilon, _whole(factor, parts, mu_counts))
    return sum_up([noise, *(part.own_keys(size, factor, epsilon) for part in parts)])


def dearest(epsilon: float, parts: tuple[Part, ...], mu_counts: float, own: OwnSizes) -> tuple[int, float]:
    """The size that costs most of δ at this ε, and its factor: compared in floats, which is quick."""

    def about(pair: tuple[int, float]) -> float:
        size, factor = pair
        alone = [-math.expm1(size * math.log1p(-below(-part.bar))) for part in parts]
        return _in_floats(epsilon, parts, mu_counts, alone, factor)

    return max(own.pairs(), key=about)


def _largest_factor(
    epsilon: float, delta: float, parts: tuple[Part, ...], mu_counts: float, size: int
) -> float:
    """Found in floats, then lowered until exact arithmetic agrees."""
    factor, step = _guess(epsilon, delta, parts, mu_counts, size), STEP
    while factor > 0 and cost(epsilon, parts, mu_counts, size, factor) > delta:
        factor, step = factor - step, 2 * step
    if factor <= 0:
        raise InputError(f"Thresholds and counts leave nothing of δ = {delta} for users with {size} items.")
    return factor


def _guess(epsilon: float, delta: float, parts: tuple[Part, ...], mu_counts: float, size: int) -> float:
    alone = [largest_of(part.bar, size) for part in parts]
    low, high = 0.0, 2.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _in_floats(epsilon, parts, mu_counts, alone, middle) <= delta
        low, high = (middle, high) if enough else (low, middle)
    return low - STEP


def _in_floats(
    epsilon: float, parts: tuple[Part, ...], mu_counts: float, alone: Sequence[float], factor: float
) -> float:
    """The cost in floats. `alone`: for each part, the chance that noise alone shows one of her keys."""
    mu = _whole(factor, parts, mu_counts)
    noise = below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)
    keys = sum(
        min(chance * math.exp(epsilon), below(quantile(chance) + part.mu * factor))
        for part, chance in zip(parts, alone, strict=True)
    )
    return noise + keys


def _whole(factor: float, parts: tuple[Part, ...], mu_counts: float) -> float:
    return math.sqrt(factor**2 * sum(part.mu**2 for part in parts) + mu_counts**2) * ROOM_ABOVE
