"""Uniform choices from the injected randomness: shuffles, subsets, waiting times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from crowdlog.privacy.randomness import Randomness

T = TypeVar("T")


def uniform_below(n: int, randomness: Randomness) -> int:
    """Return a uniform integer of 0 … n−1 by rejection, so that no value is favoured."""
    size = (n.bit_length() + 7) // 8
    limit = (256**size // n) * n
    while True:
        drawn = int.from_bytes(randomness.bytes(size), "little")
        if drawn < limit:
            return drawn % n


def shuffled(items: Iterable[T], randomness: Randomness) -> list[T]:
    """Return the items in uniformly random order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = uniform_below(last + 1, randomness)
        order[last], order[other] = order[other], order[last]
    return order


def fraction(randomness: Randomness) -> float:
    """Return a number of [0, 1) with 53 random bits."""
    return (int.from_bytes(randomness.bytes(8), "little") >> 11) / 2.0**53


def sampled(items: Iterable[T], millionths: int, randomness: Randomness) -> list[T]:
    """Return each item with this probability, whatever becomes of the others."""
    return [item for item in items if uniform_below(1_000_000, randomness) < millionths]
