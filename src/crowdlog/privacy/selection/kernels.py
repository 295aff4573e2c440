"""The compiled loops over users. Imported when a selection runs: numba takes a second to load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Array = Any  # numba types its arguments itself

# Weights are whole multiples of 1/UNIT, rounded down, so that sums are exact in any order.
UNIT = 4096
# Room for double rounding before the floor: 200 squares, a root and a product err by less than 2^-44 (proofs/selection-adaptive.md, Lemma 1).
SHRINK = 1 - 2.0**-40


@njit(cache=True)
def distinct(starts: Array, items: Array) -> tuple[Array, Array]:
    """Sort each user's items and drop repeats."""
    kept = np.empty(len(items), np.int32)
    offsets = np.zeros(len(starts), np.int64)
    n = 0
    for user in range(len(starts) - 1):
        own = np.sort(items[starts[user] : starts[user + 1]])
        for place in range(len(own)):
            if place == 0 or own[place] != own[place - 1]:
                kept[n] = own[place]
                n += 1
        offsets[user + 1] = n
    return offsets, kept[:n].copy()


@njit(cache=True)
def keep_random(offsets: Array, items: Array, tags: Array, most: int) -> tuple[Array, Array]:
    """The items with the `most` smallest tags of each user; one 64-bit tag per item of a user who has too many, in order."""
    kept = np.empty(len(items), np.int32)
    bounds = np.zeros(len(offsets), np.int64)
    n, tag = 0, 0
    for user in range(len(offsets) - 1):
        begin, end = offsets[user], offsets[user + 1]
        if end - begin <= most:
            kept[n : n + end - begin] = items[begin:end]
            n += end - begin
        else:
            own = tags[tag : tag + end - begin]
            tag += end - begin
            # Items that share the first tag beyond are all dropped: the choice never looks at how items are numbered.
            beyond = np.sort(own)[most]
            for place in range(end - begin):
                if own[place] < beyond:
                    kept[n] = items[begin + place]
                    n += 1
        bounds[user + 1] = n
    return bounds, kept[:n].copy()


@njit(cache=True)
def weigh(offsets: Array, items: Array, worth: Array) -> Array:
    """Σ over users of ⌊UNIT · worth(i) / ‖worth on the user's items‖₂⌋: every user adds a vector of L2 length at most UNIT."""
    total = np.zeros(len(worth), np.int64)
    for user in range(len(offsets) - 1):
        squares = 0.0
        for place in range(offsets[user], offsets[user + 1]):
            value = np.float64(worth[items[place]])
            squares += value * value
        if squares > 0.0:
            scale = SHRINK * UNIT / np.sqrt(squares)
            for place in range(offsets[user], offsets[user + 1]):
                total[items[place]] += np.int64(scale * np.float64(worth[items[place]]))
    return total


@njit(cache=True)
def fill_up(offsets: Array, items: Array, size: int, target: float) -> Array:
    """Users in turn, each moving the weights of her items towards the target by a step of L2 length at most 1 (Gopi et al. 2020, Algorithm 7)."""
    weights = np.zeros(size, np.float64)
    for user in range(len(offsets) - 1):
        squares = 0.0
        for place in range(offsets[user], offsets[user + 1]):
            gap = target - weights[items[place]]
            if gap > 0.0:
                squares += gap * gap
        step = 1.0 if squares <= 1.0 else 1.0 / np.sqrt(squares)
        for place in range(offsets[user], offsets[user + 1]):
            gap = target - weights[items[place]]
            if gap > 0.0:
                weights[items[place]] += step * gap
    return weights


@njit(cache=True)
def keep_items(offsets: Array, items: Array, renumbered: Array) -> tuple[Array, Array]:
    """The incidence without the items whose new number is negative."""
    kept = np.empty(len(items), np.int32)
    bounds = np.zeros(len(offsets), np.int64)
    n = 0
    for user in range(len(offsets) - 1):
        for place in range(offsets[user], offsets[user + 1]):
            number = renumbered[items[place]]
            if number >= 0:
                kept[n] = number
                n += 1
        bounds[user + 1] = n
    return bounds, kept[:n].copy()


@njit(cache=True)
def steer(weights: Array, threshold: float, reach: float, spread: float, left: float, worth: Array) -> None:
    """Write into `worth` how much one more unit of weight would help each item: the chance, up to a factor, that it decides.

    0 for items that are safely above, −1 for hopeless ones. Reads noisy weights only.
    """
    for item in range(len(weights)):
        above = weights[item] - threshold
        if above > 3.0 * left:
            worth[item] = 0.0
            continue
        t = 1.4 * above / left if above > 0.0 else max(0.0, (threshold - weights[item] * reach) / spread)
        chance = np.exp(-0.5 * t * t)
        worth[item] = chance if chance >= 0.03 or above > 0.0 else -1.0
