"""Rounds with a bar for each class, against plain rounds that keep every list and every item."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection import graded as module
from crowdlog.privacy.selection import kernels
from crowdlog.privacy.selection.adaptive_gaussian import REACH, SPREAD, WHOLE, AdaptiveGaussian
from crowdlog.privacy.selection.graded import WEIGHT, Graded, Grades
from crowdlog.privacy.selection.graded_kernels import OUT, RESTS, in_order_of_holders, keep_lists, renumber
from crowdlog.privacy.selection.incidence import Incidence

GRADED = Graded(AdaptiveGaussian(rounds=12), 0.6)
ITEMS, USERS = 90, 300


def crowd(seed: int) -> tuple[Incidence, Grades]:
    """Items that many, few and none hold, in three classes; some have none."""
    random = np.random.default_rng(seed)
    popular = 1 / np.arange(1, ITEMS - 9)
    sets = [
        np.sort(random.choice(ITEMS - 10, random.integers(0, 12), replace=False, p=popular / popular.sum()))
        for _ in range(USERS)
    ]
    offsets = np.append(0, np.cumsum([len(own) for own in sets]))
    held = Incidence(offsets, np.concatenate(sets).astype(np.int32), ITEMS)
    kind = random.integers(0, 3, ITEMS).astype(np.int32)
    kind[ITEMS - 5 :] = -1
    return held, Grades(kind, np.array([4.0, 6.5, 9.0]), np.array([1.0, 0.3, 0.5]))


def paths(seed: int) -> np.ndarray:
    scale = np.array(GRADED.scales)
    return np.rint(np.random.default_rng(seed).normal(size=(ITEMS, 12)) * scale).astype(np.int64)


def plainly(held: Incidence, grades: Grades, noise: np.ndarray) -> dict[int, float]:
    """What proofs/ladder.md says, item by item."""
    bars = [math.ceil(bar * WEIGHT) for bar in grades.bars]
    prior = [int(prior * kernels.FULL) for prior in grades.priors]
    alive = {item: prior[kind] for item, kind in enumerate(grades.kind.tolist()) if kind >= 0}
    weights, done, sigma = dict.fromkeys(alive, 0), 0, WEIGHT / GRADED.mu
    lengths = np.full(held.users, kernels.UNIT)
    for place, share in enumerate(GRADED.method.shares()):
        left = np.array(sorted(alive))
        worth = np.array([alive[item] for item in left], np.int16)
        part = held.only(left)
        sums = kernels.weigh(part.offsets, part.items, worth, lengths)
        for item, given in zip(left.tolist(), sums.tolist(), strict=True):
            weights[item] += share * (given + int(noise[item, place]))
        done += share
        if done == WHOLE:
            break
        ahead = done / WHOLE
        reach, rest = 1 + REACH * (1 - ahead) / ahead, math.sqrt(1 - ahead) * sigma
        spread = SPREAD * sigma * math.sqrt(ahead * reach**2 + 1 - ahead)
        for item in left.tolist():
            kind = grades.kind[item]
            found = np.zeros(1, np.int16)
            kernels.steer(
                np.array([weights[item]]), bars[kind], reach, spread, rest, np.array([prior[kind]]), found
            )
            alive[item] = int(found[0])
        alive = {item: value for item, value in alive.items() if value >= 0}
    return {item: weights[item] / WEIGHT for item in alive if weights[item] >= bars[grades.kind[item]]}


@pytest.mark.parametrize("resting", [3.0, 6.0, math.inf])
def test_items_that_rest_or_are_out_change_nothing(resting, monkeypatch):
    """Near 3 they are called back often: the outcome is the same to the last bit."""
    monkeypatch.setattr(module, "RESTING", resting)
    shown = 0
    for seed in range(12):
        held, grades = crowd(seed)
        before, noise = held.items.copy(), paths(seed)
        found = GRADED.rounds(held, grades, lambda place, ids, noise=noise: noise[ids, place])
        expected = plainly(held, grades, noise)
        assert dict(zip(found.items.tolist(), found.weights.tolist(), strict=True)) == expected
        assert np.array_equal(held.items, before)  # the lists that were given are not touched
        shown += len(expected)
    assert shown > 100


def test_items_come_back_from_rest(monkeypatch):
    """Otherwise the test above would not see what happens then."""
    called, steer = [], module.steer

    def noted(*given):
        alive, back = steer(*given)
        called.append(back)
        return alive, back

    monkeypatch.setattr(module, "RESTING", 3.0)
    monkeypatch.setattr(module, "steer", noted)
    for seed in range(12):
        held, grades = crowd(seed)
        GRADED.select(held, grades, SeededRandomness(seed))
    assert any(called)


def test_what_many_hold_is_numbered_first_and_nothing_is_lost():
    items = [7, 3, 5, 3, 9, 5, *[3] * 40, 5, 4, *[5] * 5]
    kind = np.zeros(12, np.int32)
    kind[[1, 9]] = -1  # 1: no class and nobody's; 9: held without a class
    renamed, ids = np.empty(len(items), np.int32), np.empty(len(kind), np.int32)
    ids = ids[: in_order_of_holders(np.array(items, np.int32), kind, renamed, ids)]
    assert ids.tolist() == [3, 5, 7, 9, 4, 0, 2, 6, 8, 10, 11]  # 42, 8, then one each, then nobody
    assert ids[renamed].tolist() == items


def test_what_has_no_class_takes_no_part():
    held, grades = crowd(1)
    low = Grades(grades.kind, np.full(3, -100.0), grades.priors)
    found = GRADED.select(held, low, SeededRandomness(2)).items
    assert found.tolist() == np.flatnonzero(grades.kind >= 0).tolist()


def test_lists_are_cut_where_they_lie():
    """Beside plain lists: what is out leaves, what rests stays behind the ends."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lists = [rng.permutation(30)[: rng.integers(0, 30)].tolist() for _user in range(12)]
        active = [int(rng.integers(0, len(own) + 1)) for own in lists]
        offsets = np.cumsum([0, *map(len, lists)])
        ends = offsets[:-1] + active
        items = np.array([item for own in lists for item in own], np.int32)
        worth = rng.choice([OUT, RESTS, 0, 7], 30).astype(np.int16)
        ids, kind, weights = (rng.permutation(30).astype(kind) for kind in (np.int32, np.int32, np.int64))
        before, numbers = [each.copy() for each in (worth, ids, kind, weights)], np.empty(30, np.int32)
        alive = renumber(worth, ids, kind, weights, numbers)
        kept = keep_lists(offsets, ends, items, numbers)
        stay = np.flatnonzero(before[0] != OUT)
        for old, new in zip(before, (worth, ids, kind, weights), strict=True):
            assert new[:alive].tolist() == old[stay].tolist()
        place = {int(item): number for number, item in enumerate(stay)}
        for user, own in enumerate(lists):
            first, rest = own[: active[user]], own[active[user] :]
            assert items[offsets[user] : ends[user]].tolist() == [place[i] for i in first if i in place]
            assert items[ends[user] : offsets[user + 1]].tolist() == [place[i] for i in rest if i in place]
        assert kept == offsets[-1]
