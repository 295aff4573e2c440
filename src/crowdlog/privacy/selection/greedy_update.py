"""GreedyUpdate (Carvalho, Wang, Gondara, Miao 2022): users in turn support one item that is still below a
cutoff; Laplace noise and a threshold decide.

Proof: proofs/selection-greedy.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crowdlog.errors import InputError
from crowdlog.privacy.gaussian import check_epsilon_delta
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.privacy.selection.base import Selected, SelectionPromise
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.scouted_greedy import by_lot, different_tags

# Noise and threshold are whole numbers of 1/GRID of a unit. With whole units the threshold would be rounded
# up
# by up to one user, which costs 5 % of the keys of the published, continuous form.
GRID = 64


@dataclass(frozen=True)
class GreedyUpdate:
    """The cutoff lies `margin` noise scales above the threshold. Users know no frequencies of their own items
    here, so each tries hers in random order.
    """

    noise_share: ClassVar[None] = None

    items_per_user: int = 100  # as published
    margin: float = 5.0

    def promise(self, epsilon: float, delta: float) -> SelectionPromise:
        noise, least = threshold(epsilon, delta)
        parameters = {"items_per_user": self.items_per_user, "cutoff": self._cutoff(noise, least)}
        return SelectionPromise(approximate(epsilon, delta), least / GRID, noise.sd / GRID, parameters)

    def select(self, incidence: Incidence, epsilon: float, delta: float, randomness: Randomness) -> Selected:
        from crowdlog.privacy.selection import kernels

        noise, least = threshold(epsilon, delta)
        held, ids = incidence.bounded(self.items_per_user, randomness).held()
        own_order = different_tags(len(held.items), randomness)
        order = by_lot(held, randomness)
        units = kernels.one_unit_each(
            held.offsets, held.items, held.size, own_order, order, self._cutoff(noise, least)
        )
        given = np.flatnonzero(units)
        noisy = GRID * units[given] + noise.draw(len(given), randomness)
        kept = noisy >= least
        return Selected(ids[given[kept]], noisy[kept] / GRID)

    def _cutoff(self, noise: DiscreteLaplace, least: int) -> int:
        """In units: the first number from which an item takes no more."""
        return math.ceil((least + self.margin * noise.scale) / GRID)


def threshold(epsilon: float, delta: float) -> tuple[DiscreteLaplace, int]:
    """The noise, and the least noisy number that passes: the smallest for which the one unit of a user who
    alone holds the item passes with probability at most δ, less what the sampler costs.
    """
    check_epsilon_delta(epsilon, delta)
    noise = DiscreteLaplace(GRID / epsilon * ROOM_ABOVE)
    room = delta - noise.statistical_distance * (1 + math.exp(epsilon)) * ROOM_ABOVE
    low, high = 0, GRID + math.ceil(noise.scale * (1 - math.log(delta))) + 1
    if noise.tail(high - 1 - GRID) > room:
        raise InputError(f"δ is too small for the noise of GreedyUpdate at ε = {epsilon}. Got {delta}.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if noise.tail(middle - 1 - GRID) <= room else (middle, high)
    return noise, high
