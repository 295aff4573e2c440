"""Scouted greedy, computed and not sampled: the exact distribution of what is released, for all small logs
and each with one more user, at every lot and every noise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from crowdlog.privacy.selection.scouted_greedy import enough
from crowdlog.privacy.selection.truncated_geometric import ONE, TruncatedGeometric

ITEMS = 3
SUBSETS = [frozenset(s) for n in range(1, 4) for s in itertools.combinations(range(ITEMS), n)]
EPSILON, DELTA, SHARE = 1.0, 0.1, 0.4
SPREAD, FAR = 6, 600  # units spread in scouting (the code's 4096 in small), the largest noise that counts
Log = tuple[frozenset[int], ...]
Law = dict[frozenset[int], float]
Order = tuple[int, ...]  # of items, most preferred first


def chances(scouting: float) -> list[float]:
    return [chance / ONE for chance in TruncatedGeometric().chances(EPSILON - scouting, DELTA)]


@cache
def table(scouting: float) -> tuple[list[float], int]:
    exact = TruncatedGeometric().chances(EPSILON - scouting, DELTA)
    return chances(scouting), enough(exact)


def given(users: Log, order: Order, most: int) -> list[int]:
    units = [0] * ITEMS
    for items in users:
        wanted = next((i for i in order if i in items and units[i] < most), None)
        if wanted is not None:
            units[wanted] += 1
    return units


def fullest(users: Log, order: Order, most: int) -> list[int]:
    """The rule that must not be used: to the fullest item that is still open."""
    units = [0] * ITEMS
    for items in users:
        still = [i for i in items if units[i] < most]
        if still:
            units[max(still, key=lambda i: (units[i], -order.index(i)))] += 1
    return units


def item_orders(log: Log, scouting: float, noisy: bool = True) -> dict[Order, float]:
    """How likely each common order of the items is: sums with discrete Laplace noise, ties by lot."""
    sums = [sum(SPREAD // len(s) for s in log if i in s) if scouting else 0 for i in range(ITEMS)]
    return _orders(tuple(s - min(sums) for s in sums), scouting if noisy else 0.0)


@cache
def _orders(sums: tuple[int, ...], scouting: float) -> dict[Order, float]:
    values = np.arange(-FAR, FAR + max(sums) + 1)
    pmfs = []
    for own in sums:
        distance = np.abs(values - own)
        pmf = np.exp(-scouting / SPREAD * distance) if scouting else (distance == 0).astype(float)
        pmfs.append(pmf / pmf.sum())
    found = {}
    for order in itertools.permutations(range(ITEMS)):
        first, second, third = (pmfs[i] for i in order)
        above = first[::-1].cumsum()[::-1] - first / 2
        below = third.cumsum() - third / 2
        all_equal = (first * second * third).sum() / 12  # three alike have six orders, not four
        found[order] = float((second * above * below).sum() - all_equal)
    return found


def law(
    log: Log, share: float, rule: Callable[[Log, Order, int], list[int]] = given, noisy: bool = True
) -> Law:
    return _law(tuple(sorted(log, key=sorted)), share, rule, noisy)


@cache
def _law(log: Log, share: float, rule: Callable[[Log, Order, int], list[int]], noisy: bool) -> Law:
    scouting = share * EPSILON
    chance, most = table(scouting)
    lots = [tuple(sorted(lot, key=len)) for lot in itertools.permutations(log)]  # few items first, then lots
    units: dict[tuple[int, ...], float] = {}
    for order, weight in item_orders(log, scouting, noisy).items():
        for users in lots:
            got = tuple(rule(users, order, most))
            units[got] = units.get(got, 0.0) + weight / len(lots)
    found: Law = {}
    for got, weight in units.items():
        shown = [chance[u] if u < len(chance) else 1.0 for u in got]
        for bits in itertools.product((0, 1), repeat=ITEMS):
            kept = frozenset(i for i, bit in enumerate(bits) if bit)
            p = math.prod(s if bit else 1 - s for s, bit in zip(shown, bits, strict=True))
            found[kept] = found.get(kept, 0.0) + weight * p
    return found


def spent(one: Law, two: Law) -> float:
    """The smallest δ at this ε for these two."""
    return sum(max(0.0, p - math.exp(EPSILON) * two.get(kept, 0.0)) for kept, p in one.items())


def worst(people: int, share: float, rule: Callable[..., list[int]] = given, noisy: bool = True) -> float:
    most = 0.0
    for size in range(people + 1):
        for log in itertools.combinations_with_replacement(SUBSETS, size):
            without = law(log, share, rule, noisy)
            for joins in SUBSETS:
                with_her = law((*log, joins), share, rule, noisy)
                most = max(most, spent(with_her, without), spent(without, with_her))
    return most


@pytest.mark.parametrize("share", [0.0, SHARE])
def test_all_small_logs_keep_the_promise_exactly(share: float) -> None:
    found = worst(3, share)
    assert found <= DELTA * (1 + 1e-9)
    assert found > 0.99 * DELTA  # a key of one user alone costs all of δ


def test_going_to_the_fullest_breaks_it() -> None:
    sets = [frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2}), frozenset({0}), frozenset({1})]
    most = 0.0
    for log in itertools.combinations_with_replacement(sets, 4):
        without = law(log, 0.0, fullest)
        for joins in sets:
            with_her = law((*log, joins), 0.0, fullest)
            most = max(most, spent(with_her, without), spent(without, with_her))
    assert most > DELTA


def test_scouting_without_noise_breaks_it() -> None:
    assert worst(3, SHARE, noisy=False) > DELTA
