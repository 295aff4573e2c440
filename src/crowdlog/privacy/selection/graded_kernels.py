"""The compiled loops of rounds with a bar for each class of items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.privacy.selection.kernels import BELL, BELL_STEP, FULL, HOPELESS, SHRINK

# In the place of an item's worth: it is out for good; it is far above its bar and gets nothing.
OUT, RESTS = -1, -2
# Items of at least so many people are numbered together: what is read often lies close together.
MANY = (256, 32, 6, 2, 1)


@njit(cache=True)
def in_order_of_holders(items: Any, kind: Any, renamed: Any, ids: Any) -> int:
    """Items numbered by how many hold them (those of MANY people first, lone ones last), of about as many by
    their first places in the lists; those that nobody holds behind them. Who has no class and is not held
    gets no number. The lists in these numbers go to `renamed`, what each number was before to `ids`; how many
    there are.
    """
    number = np.full(len(kind), -1, np.int32)  # −1 − holders, until the item gets its number
    for item in items:
        number[item] -= 1
    first = np.zeros(len(MANY) + 1, np.int64)
    for item in range(len(kind)):
        if number[item] < -1:
            first[_by_holders(-1 - number[item]) + 1] += 1
    first = np.cumsum(first)
    for place in range(len(items)):
        item = items[place]
        if number[item] < 0:
            group = _by_holders(-1 - number[item])
            number[item], ids[first[group]] = first[group], item
            first[group] += 1
        renamed[place] = number[item]
    n: int = first[-1]
    for item in range(len(kind)):
        if number[item] < 0 and kind[item] >= 0:
            ids[n] = item
            n += 1
    return n


@njit(cache=True)
def _by_holders(holders: int) -> int:
    group = 0
    while holders < MANY[group]:
        group += 1
    return group


@njit(cache=True)
def weigh(offsets: Any, ends: Any, items: Any, worth: Any, weights: Any, length: int, share: int) -> None:
    """`kernels.weigh` with one length for all, `share` times, added to the weights. Items of negative worth
    leave the user's list: they change places with those at its end.
    """
    longest = 0
    for user in range(len(ends)):
        longest = max(longest, ends[user] - offsets[user])
    own = np.empty(longest + 1, np.float64)
    for user in range(len(ends)):
        begin, end = offsets[user], ends[user]
        place, squares = begin, np.int64(0)
        while place < end:
            item = items[place]
            value = np.int64(worth[item])
            if value < 0:
                end -= 1
                items[place], items[end] = items[end], item
            else:
                own[place - begin] = np.float64(value)
                squares += value * value
                place += 1
        ends[user] = end
        if squares > 0:
            scale = SHRINK * np.float64(length) / np.sqrt(np.float64(squares))
            for at in range(begin, end):
                weights[items[at]] += share * np.int64(scale * own[at - begin])


@njit(cache=True)
def add_drawn(weights: Any, worth: Any, drawn: Any, share: int) -> None:
    """Add the numbers that were drawn, one for each item that is not out, `share` times."""
    n = 0
    for item in range(len(weights)):
        if worth[item] != OUT:
            weights[item] += share * drawn[n]
            n += 1


@njit(cache=True)
def steer(
    weights: Any,
    kind: Any,
    bars: Any,
    priors: Any,
    aims: tuple[float, float, float, float],
    worth: Any,
) -> tuple[int, bool]:
    """`kernels.steer` with a bar for each class; `aims`: reach, spread, left, and how far above items rest.

    How many items are not out, and whether one that rested is worth something again.
    """
    reach, spread, left, far = aims
    alive, back = 0, False
    for item in range(len(weights)):
        before = worth[item]
        if before == OUT:
            continue
        bar = bars[kind[item]]
        above = weights[item] - bar
        alive += 1
        if above > 3.0 * left:
            worth[item] = RESTS if before == RESTS or above > far else 0
            continue
        t = 1.4 * above / left if above > 0.0 else max(0.0, (bar - weights[item] * reach) / spread)
        bell = BELL[min(int(t * BELL_STEP), len(BELL) - 1)]
        if bell >= HOPELESS or above > 0.0:
            worth[item] = np.int64(bell) * np.int64(priors[kind[item]]) // FULL
            back |= before == RESTS
        else:
            worth[item] = OUT
            alive -= 1
    return alive, back


@njit(cache=True)
def renumber(worth: Any, ids: Any, kind: Any, weights: Any, renumbered: Any) -> int:
    """Move the items that are not out to the front of all arrays, in their order; `renumbered` gets the new
    number of each, −1 where it is out. How many there are.
    """
    n = 0
    for item in range(len(worth)):
        if worth[item] == OUT:
            renumbered[item] = -1
        else:
            worth[n], ids[n], kind[n], weights[n] = worth[item], ids[item], kind[item], weights[item]
            renumbered[item] = n
            n += 1
    return n


@njit(cache=True)
def keep_lists(offsets: Any, ends: Any, items: Any, renumbered: Any) -> int:
    """Take the items whose new number is negative out of the lists, where they lie; what has left them stays
    behind their ends. How many are kept: a fresh copy of tens of millions would cost more than the loop.
    """
    n, begin = 0, 0
    for user in range(len(ends)):
        end, stop, last = ends[user], n, offsets[user + 1]
        for place in range(begin, last):
            if place == end:
                stop = n
            number = renumbered[items[place]]
            if number >= 0:
                items[n] = number
                n += 1
        ends[user] = n if end == last else stop
        begin, offsets[user + 1] = last, n
    return n
