"""Every person is divided among cells of a public list by what she did: one unit for each, whole numbers
throughout. Proof: proofs/ladder.md, Lemma 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.rounded_gaussian import LARGEST_SIGMA, RoundedGaussian
from crowdlog.privacy.rounding_room import ROOM_ABOVE
from crowdlog.types import Ints

UNIT = 1 << 16  # a person is so many parts


def divided(users: NDArray[Any], cells: NDArray[Any], size: int) -> Ints:
    """Σ over people of ⌊UNIT · the share of her rows that lie in each cell⌋: nobody adds more than UNIT in
    all. Users are in rising order. Not private yet.
    """
    if len(users) and (np.any(users[1:] < users[:-1]) or cells.min() < 0 or cells.max() >= size):
        raise ValueError("rows must lie in the order of their users, cells among the given ones")
    from crowdlog.privacy.selection import kernels

    sums: Ints = kernels.divide_people(users, cells, size, UNIT)
    return sums


def summed(parts: Ints, most: int) -> Ints:
    """Σ over people of ⌊UNIT · her part / most⌋, parts up to `most`: one cell. Not private yet."""
    return np.array([int((np.clip(parts, 0, most) * UNIT // most).sum())], np.int64)


def noise_sd(vectors: int, mu: float) -> float:
    """The standard deviation of the noise in each cell, in people, if one person changes so many vectors by a
    length of at most 1 each and all cells together are one Gaussian mechanism of this μ.
    """
    return math.sqrt(vectors) / mu * ROOM_ABOVE


def least_mu(vectors: int) -> float:
    """The least μ whose noise can be drawn."""
    return UNIT * math.sqrt(vectors) / LARGEST_SIGMA * ROOM_ABOVE**2


def noisy_cells(vectors: Sequence[Ints], mu: float, randomness: Randomness) -> list[NDArray[np.float64]]:
    """Each vector, to which a person adds a length of UNIT at most, with noise of this μ altogether: people
    in each cell.
    """
    noise = RoundedGaussian(UNIT * noise_sd(len(vectors), mu))
    return [(sums + noise.draw(len(sums), randomness)) / UNIT for sums in vectors]
