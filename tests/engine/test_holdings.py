"""Maps from what people hold to what follows from it, beside plain sets."""

import numpy as np
import pytest

from crowdlog.engine import holdings as module
from crowdlog.engine.holdings import follow, follow_one, sets_of
from crowdlog.privacy.selection.incidence import Incidence

USERS, ITEMS, TARGETS = 60, 40, 25


def held_by(rng: np.random.Generator) -> tuple[Incidence, list[list[int]]]:
    """Some people hold nothing, some everything."""
    own = [np.flatnonzero(rng.random(ITEMS) < part).tolist() for part in rng.choice([0, 0.1, 1.0], USERS)]
    offsets = np.cumsum([0, *map(len, own)])
    return Incidence(offsets, np.array([i for each in own for i in each], np.int32), ITEMS), own


def as_lists(found: Incidence) -> list[list[int]]:
    return [each.tolist() for each in np.split(found.items, found.offsets[1:-1])]


@pytest.mark.parametrize("room", [1.2, 0.0, 0.3])
def test_who_holds_an_item_holds_what_it_leads_to_once(monkeypatch, room):
    """With too little room at first, it is made in between."""
    monkeypatch.setattr(module, "ROOM", room)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        held, own = held_by(rng)
        leads = [rng.integers(-1, TARGETS, rng.integers(0, 6)).tolist() for _ in range(ITEMS)]
        starts = np.cumsum([0, *map(len, leads)])
        found = follow(held, starts, np.array([t for each in leads for t in each], np.int64), TARGETS)
        assert as_lists(found) == [sorted({t for i in each for t in leads[i]} - {-1}) for each in own]


def test_every_item_leads_to_one_or_to_none():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        held, own = held_by(rng)
        target = rng.integers(-1, TARGETS, ITEMS)
        found = follow_one(held, target, TARGETS)
        assert as_lists(found) == [sorted({int(target[i]) for i in each} - {-1}) for each in own]


def test_lists_become_sets():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        lists = [rng.integers(-1, TARGETS, rng.integers(0, 80)).tolist() for _ in range(USERS)]
        starts = np.cumsum([0, *map(len, lists)])
        flat = np.array([t for each in lists for t in each], np.int64)
        assert as_lists(sets_of(starts, flat, TARGETS)) == [sorted(set(each) - {-1}) for each in lists]
        own = np.empty(len(flat), np.int32)
        bounds = module._sorted_sets(starts, flat.astype(np.int32), own)
        assert as_lists(Incidence(bounds, own[: bounds[-1]] + 1, TARGETS + 1)) == [
            sorted({t + 1 for t in each}) for each in lists
        ]
