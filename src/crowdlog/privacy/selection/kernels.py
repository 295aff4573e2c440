"""The compiled loops over users. Imported when a selection runs: numba takes a second to load."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

Array = Any  # numba types its arguments itself

# Weights are whole multiples of 1/UNIT, rounded down, so that sums are exact in any order.
UNIT = 4096
# The worth of an item is a whole number up to this: sums of squares are exact, so no weight depends on how
# items happen to be numbered.
FULL = 1 << 14
# Room for double rounding before the floor: a root, a quotient and a product err by less than 2^-50
# (proofs/selection-adaptive.md, Lemma 1).
SHRINK = 1 - 2.0**-40
# ⌊FULL·e^(−t²/2)⌋ for t = 0, 1/256, …, 8: a table, because the last bit of an exponential may differ between
# two places of a loop.
BELL_STEP = 256
BELL = np.array(
    [int(FULL * math.exp(-0.5 * (k / BELL_STEP) ** 2)) for k in range(8 * BELL_STEP + 1)], np.int16
)
# items worth less are given up: the keys kept changed by at most 0.3 % (docs/benchmarks-keys.md)
HOPELESS = int(0.03 * FULL)


@njit(cache=True)
def group(users: Array, items: Array, n_users: int) -> tuple[Array, Array]:
    """Rows by user, each user's in rising order: an engine returns rows in any order, and equal logs must
    give equal arrays.
    """
    offsets = np.zeros(n_users + 1, np.int64)
    for user in users:
        offsets[user + 1] += 1
    for user in range(n_users):
        offsets[user + 1] += offsets[user]
    place = offsets[:-1].copy()
    grouped = np.empty(len(items), np.int32)
    for row in range(len(items)):
        grouped[place[users[row]]] = items[row]
        place[users[row]] += 1
    for user in range(n_users):
        grouped[offsets[user] : offsets[user + 1]].sort()
    return offsets, grouped


@njit(cache=True)
def distinct(starts: Array, items: Array) -> tuple[Array, Array]:
    """Drop the repeats of each user, whose items are in rising order."""
    kept = np.empty(len(items), np.int32)
    offsets = np.zeros(len(starts), np.int64)
    n = 0
    for user in range(len(starts) - 1):
        for place in range(starts[user], starts[user + 1]):
            if place == starts[user] or items[place] != items[place - 1]:
                kept[n] = items[place]
                n += 1
        offsets[user + 1] = n
    return offsets, kept[:n].copy()


@njit(cache=True)
def rising(offsets: Array, items: Array) -> bool:
    """Whether each user's items are in rising order, and so all different."""
    for user in range(len(offsets) - 1):
        for place in range(offsets[user] + 1, offsets[user + 1]):
            if items[place] <= items[place - 1]:
                return False
    return True


@njit(cache=True)
def keep_random(offsets: Array, items: Array, tags: Array, most: int, kept: Array) -> Array:
    """The items with the `most` smallest tags of each user; one 64-bit tag per item of a user who has too
    many, in order. They go to `kept`; where those of each user begin.
    """
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
            # Items that share the first tag beyond are all dropped: the choice never looks at how items are
            # numbered.
            beyond = np.sort(own)[most]
            for place in range(end - begin):
                if own[place] < beyond:
                    kept[n] = items[begin + place]
                    n += 1
        bounds[user + 1] = n
    return bounds


@njit(cache=True)
def weigh(offsets: Array, items: Array, worth: Array, lengths: Array) -> Array:
    """Σ over users of ⌊length · worth(i) / ‖worth on the user's items‖₂⌋: every user adds a vector of at most
    her L2 length.
    """
    total = np.zeros(len(worth), np.int64)
    for user in range(len(offsets) - 1):
        squares = np.int64(0)
        for place in range(offsets[user], offsets[user + 1]):
            value = np.int64(worth[items[place]])
            squares += value * value
        if squares > 0:
            scale = SHRINK * np.float64(lengths[user]) / np.sqrt(np.float64(squares))
            for place in range(offsets[user], offsets[user + 1]):
                total[items[place]] += np.int64(scale * np.float64(worth[items[place]]))
    return total


@njit(cache=True)
def fill_up(offsets: Array, items: Array, size: int, target: float) -> Array:
    """Users in turn, each moving the weights of her items towards the target by a step of L2 length at most 1
    (Gopi et al. 2020, Algorithm 7).
    """
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
def steer(
    weights: Array, threshold: float, reach: float, spread: float, left: float, prior: Array, worth: Array
) -> None:
    """Write into `worth` how much one more unit of weight would help each item: in proportion to the chance
    that it decides and to its prior.

    0 for items that are safely above, −1 for hopeless ones. Reads noisy weights and public priors (1 … FULL)
    only. `threshold`, `spread`, `left` are in units of `weights`.
    """
    for item in range(len(weights)):
        above = weights[item] - threshold
        if above > 3.0 * left:
            worth[item] = 0
            continue
        t = 1.4 * above / left if above > 0.0 else max(0.0, (threshold - weights[item] * reach) / spread)
        bell = BELL[min(int(t * BELL_STEP), len(BELL) - 1)]
        worth[item] = (
            np.int64(bell) * np.int64(prior[item]) // FULL if bell >= HOPELESS or above > 0.0 else -1
        )


@njit(cache=True)
def over_budget(offsets: Array, items: Array, size: int, budget: int) -> Array:
    """Which users have counts whose squares sum to more than the budget."""
    own = np.zeros(size, np.int64)
    over = np.zeros(len(offsets) - 1, np.bool_)
    for user in range(len(offsets) - 1):
        squares = 0
        for place in range(offsets[user], offsets[user + 1]):
            squares += 2 * own[items[place]] + 1  # (n + 1)² − n²
            own[items[place]] += 1
        for place in range(offsets[user], offsets[user + 1]):
            own[items[place]] = 0
        over[user] = squares > budget
    return over


@njit(cache=True)
def bounded_counts(offsets: Array, items: Array, size: int, budget: int, tags: Array) -> Array:
    """Counts to which each user adds a vector whose squares sum to at most the budget; one tag per row of a
    user who has more, in order.
    """
    total = np.zeros(size, np.int64)
    own = np.zeros(size, np.int64)
    over = over_budget(offsets, items, size, budget)
    tag = 0
    for user in range(len(offsets) - 1):
        begin, end = offsets[user], offsets[user + 1]
        if not over[user]:
            for place in range(begin, end):
                total[items[place]] += 1
            continue
        drawn = tags[tag : tag + end - begin]
        tag += end - begin
        order = np.argsort(drawn)
        squares = 0
        for rank in range(end - begin):
            # Equal tags end the user's turn: the outcome never depends on how items are numbered.
            if rank + 1 < end - begin and drawn[order[rank]] == drawn[order[rank + 1]]:
                break
            item = items[begin + order[rank]]
            if squares + 2 * own[item] + 1 <= budget:
                squares += 2 * own[item] + 1
                own[item] += 1
                total[item] += 1
        for place in range(begin, end):
            own[items[place]] = 0
    return total


@njit(cache=True)
def spread_evenly(offsets: Array, items: Array, size: int, whole: int) -> Array:
    """Every user gives each of her k items ⌊whole/k⌋ units."""
    total = np.zeros(size, np.int64)
    for user in range(len(offsets) - 1):
        begin, end = offsets[user], offsets[user + 1]
        if end > begin:
            for place in range(begin, end):
                total[items[place]] += whole // (end - begin)
    return total


@njit(cache=True)
def one_unit_each(
    offsets: Array, items: Array, size: int, preference: Array, order: Array, most: int
) -> Array:
    """Users in this order give one unit each to the item that they prefer most among theirs with fewer than
    `most` units, if there is one. Preferences are one number per held item, all of a user's different.

    A user looks at units only to leave an item that is full. Who went to the *fullest* item would be drawn
    along by somebody else's unit, and one user could move many (proofs/selection-greedy.md).
    """
    units = np.zeros(size, np.int64)
    for user in order:
        best = -1
        for place in range(offsets[user], offsets[user + 1]):
            if units[items[place]] < most and (best < 0 or preference[place] > preference[best]):
                best = place
        if best >= 0:
            units[items[best]] += 1
    return units


@njit(cache=True)
def own_shares(
    offsets: Array, items: Array, bias: Array, user: int, whole: int, most: float
) -> tuple[float, float]:
    """What a user gives to an item of bias `whole`, and by how much a smaller bias is multiplied: an L2
    length of 1 in all, no item more than `most` times an even share. What biased items leave goes to the
    others, or to all of them alike where all are biased.
    """
    even, squares = 0, np.int64(0)
    for place in range(offsets[user], offsets[user + 1]):
        value = np.int64(bias[items[place]])
        if value == whole:
            even += 1
        else:
            squares += value * value
    own = offsets[user + 1] - offsets[user]
    share = SHRINK / np.sqrt(np.float64(own))
    if even == 0:
        return share, SHRINK / np.sqrt(np.float64(squares))
    lift = np.sqrt((np.float64(own) - np.float64(squares) / (np.float64(whole) * whole)) / even)
    return share * min(lift, most), share / whole


@njit(cache=True)
def reroute(
    offsets: Array,
    items: Array,
    bias: Array,
    unit: int,
    whole: int,
    most: float,
    adaptive: int,
    target: int,
    discount: float,
) -> Array:
    """Weights in whole numbers of 1/unit. Users with at most `adaptive` items get back what they gave beyond
    the target of an item, and give the part `discount` of it to all their items alike (Chen et al. 2025).
    """
    size = len(bias)
    given, at_stake = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for user in range(len(offsets) - 1):
        own = offsets[user + 1] - offsets[user]
        if own == 0:
            continue
        full, biased = own_shares(offsets, items, bias, user, whole, most)
        for place in range(offsets[user], offsets[user + 1]):
            item = items[place]
            weight = np.int64(unit * (full if bias[item] == whole else biased * bias[item]))
            part = np.int64(SHRINK * weight / np.sqrt(np.float64(own))) if own <= adaptive else 0
            at_stake[item] += part
            given[item] += weight - part
    beyond = np.zeros(size, np.float64)  # the share of what was given at stake that comes back
    for item in range(size):
        if at_stake[item] > target:
            beyond[item] = np.float64(at_stake[item] - target) / np.float64(at_stake[item])
    back, carry = np.zeros(size, np.float64), np.zeros(size, np.float64)
    for user in range(len(offsets) - 1):
        own = offsets[user + 1] - offsets[user]
        if own == 0 or own > adaptive:
            continue
        full, biased = own_shares(offsets, items, bias, user, whole, most)
        returned = 0.0
        for place in range(offsets[user], offsets[user + 1]):
            item = items[place]
            if beyond[item] > 0.0:
                weight = np.int64(unit * (full if bias[item] == whole else biased * bias[item]))
                returned += beyond[item] * np.int64(SHRINK * weight / np.sqrt(np.float64(own)))
        if returned > 0.0:
            each = discount * returned / own
            for place in range(offsets[user], offsets[user + 1]):  # sums of many small numbers, compensated
                item = items[place]
                term = each - carry[item]
                total = back[item] + term
                carry[item] = (total - back[item]) - term
                back[item] = total
    return given + np.minimum(at_stake, target) + back.astype(np.int64)


@njit(cache=True)
def divide_people(users: Array, cells: Array, size: int, whole: int) -> Array:
    """Every user gives each cell ⌊whole · the share of her rows that lie in it⌋ units. Rows of one user lie
    together.
    """
    total = np.zeros(size, np.int64)
    own = np.zeros(size, np.int64)
    begin = 0
    for row in range(len(users)):
        own[cells[row]] += 1
        if row + 1 == len(users) or users[row + 1] != users[row]:
            rows = row + 1 - begin
            for place in range(begin, row + 1):
                cell = cells[place]
                if own[cell] > 0:
                    total[cell] += whole * own[cell] // rows
                    own[cell] = 0
            begin = row + 1
    return total
