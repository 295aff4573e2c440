"""Repeatable draws for measuring, never for protecting."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.types import Hashes


def generator(seed: int) -> np.random.Generator:
    """A fast generator; the same seed gives the same draws."""
    return np.random.default_rng(int.from_bytes(SeededRandomness(seed).bytes(16), "big"))


def mix(values: Any, seed: int | Hashes = 0) -> Hashes:
    """A well-spread number for each value: the finaliser of SplitMix64 (Steele et al. 2014)."""
    with np.errstate(over="ignore"):  # the arithmetic is modulo 2⁶⁴ on purpose
        step = np.asarray(seed).astype(np.uint64) + np.uint64(1)
        x = np.asarray(values).astype(np.uint64) + step * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: Hashes = x ^ (x >> np.uint64(31))
    return mixed
