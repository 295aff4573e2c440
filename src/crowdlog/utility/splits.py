"""Test and training parts of a log. By user nobody is in both; by row, as the published studies did, most people are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness

if TYPE_CHECKING:
    from crowdlog.utility.events import Events

Bools = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]
By = Literal["user", "row"]


def generator(seed: int) -> np.random.Generator:
    """Repeatable draws for measuring (never for protecting)."""
    return np.random.default_rng(int.from_bytes(SeededRandomness(seed).bytes(16), "big"))


def mix(values: Any, seed: int | Hashes = 0) -> Hashes:
    """A well-spread number for each value: the finaliser of SplitMix64 (Steele et al. 2014)."""
    with np.errstate(over="ignore"):  # the arithmetic is modulo 2⁶⁴ on purpose
        x = np.asarray(values).astype(np.uint64) + (np.asarray(seed).astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: Hashes = x ^ (x >> np.uint64(31))
    return mixed


def held_out_rows(events: Events, *, folds: int, fold: int, by: By = "user", seed: int = 0) -> Bools:
    """Mark the rows of one fold. The clicks of one impression always stay together."""
    if folds < 2:
        raise InputError(f"The number of folds must be at least 2. Got {folds}.")
    if not 0 <= fold < folds:
        raise InputError(f"With {folds} folds the fold must be one of 0 to {folds - 1}. Got {fold}.")
    hashes = mix(events.user, seed)
    if by == "row":
        hashes = mix(events.query, mix(events.time, hashes))
    marked: Bools = hashes % np.uint64(folds) == np.uint64(fold)
    return marked
