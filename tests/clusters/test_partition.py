"""The bar of a partition comes to its end by small steps, and too many users at once are refused."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

from crowdlog.clusters import blocks
from crowdlog.clusters import partition as engine
from crowdlog.clusters.distances.at_random import RandomDistance
from crowdlog.clusters.distances.common import CommonDistance, similar
from crowdlog.clusters.distances.semantic import equality
from crowdlog.clusters.partition import PartitionSettings, partition, refuse_sizes
from crowdlog.clusters.profiles import profiles_of
from crowdlog.errors import InputError


@pytest.fixture
def bars(monkeypatch):
    """Title → (total, the steps that were taken)."""
    found = {}

    @contextmanager
    def recorded(title, total, unit):
        assert unit == "steps"
        found[title] = (total, [])
        yield found[title][1].append

    monkeypatch.setattr(engine, "progress_bar", recorded)
    monkeypatch.setattr(blocks, "progress_bar", recorded)
    return found


def drawn(users):
    rng = np.random.default_rng(5)
    return profiles_of(np.repeat(np.arange(users), 6), rng.integers(0, 40, 6 * users), users)


@pytest.mark.parametrize("exact", [80, 400])
@pytest.mark.parametrize("swaps", [0, 3])
@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("kind", ["random", "equality", "rows", "greedy"])
def test_the_bar_comes_to_its_end_by_small_steps(bars, monkeypatch, kind, once, swaps, exact):
    users, k = 300, 4
    distance = {"random": RandomDistance(users), "greedy": CommonDistance(drawn(users))}.get(
        kind, equality(drawn(users))
    )
    if kind == "rows" and not swaps:
        monkeypatch.setattr(engine, "EXACT", 50)  # too many users for a matrix
    settings = PartitionSettings(exact, once, swaps)
    found = partition(distance, k, settings, similar if kind == "greedy" else None)
    assert found.sizes.min() >= k
    total, steps = bars["Finding users alike"]
    assert sum(steps) == total
    if kind == "greedy" and not swaps:
        assert max(steps) <= 64  # of 600: also where all users are one block
    whole, halves = bars["Finding blocks of similar users"]
    assert sum(halves) == whole == (0 if exact == 400 else 2 * users)


def test_more_users_at_once_than_a_matrix_can_hold_get_one_sentence():
    refuse_sizes(30_000, 5, 30_000)
    refuse_sizes(30_000, 5, 20_000, pairs=True)
    refuse_sizes(20_000, 5, 1_000_000, pairs=True)
    with pytest.raises(InputError, match=r"at most 20,000 users \(1\.6 GB\)"):
        refuse_sizes(20_001, 5, 30_000, pairs=True)
    with pytest.raises(InputError, match="at most 20,000 users"):
        partition(RandomDistance(20_001), 5, PartitionSettings(exact=30_000, swaps=1))
