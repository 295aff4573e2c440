"""What the counts of people cost: both passes and everything they look at, out of one part."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.mechanisms.rungs.climb import ShownKeys
from crowdlog.mechanisms.rungs.people import (
    LEAST_COUNT,
    LEAST_KEPT,
    MEASURED_FROM,
    SURE,
    _kept,
    count_people,
)
from crowdlog.privacy import scaled_counts
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.incidence import Incidence

MU = 0.4


def shown(users: int, keys: int, nobodys: int) -> ShownKeys:
    """Each of `users` people holds two of the keys; `nobodys` more are held by nobody."""
    first = np.arange(users) % (keys - 1)
    items = np.stack([first, first + 1], axis=1).ravel().astype(np.int32)
    held = Incidence(np.arange(users + 1) * 2, items, keys + nobodys)
    texts = [f"word{i:04}" for i in range(keys + nobodys)]
    return ShownKeys({"word": texts}, np.zeros(keys + nobodys, np.int64), held, 3.0)


@pytest.fixture
def paid(monkeypatch):
    """What every noisy sum cost, and the weights of the passes."""
    spent, weights = [], []

    def noting(name, right):
        def noted(*given):
            spent.append(given[-2])
            if name == "noisy_people":
                weights.append(given[1])
            return right(*given)

        return noted

    for name in ("_noisy", "noisy_people"):
        monkeypatch.setattr(scaled_counts, name, noting(name, getattr(scaled_counts, name)))
    return spent, weights


@pytest.mark.parametrize("people", [1, 1_000, MEASURED_FROM - 1, MEASURED_FROM, 10**6])
def test_all_sums_together_cost_what_counts_may(people, paid):
    """Repair 7: two passes; for each its bound (two noisy looks) and, of many people, its kept share."""
    spent, _weights = paid
    count_people({"words": shown(600, 20, 5)}, MU, people, SeededRandomness(1))
    assert len(spent) == 2 * (1 + 2 + (people >= MEASURED_FROM))
    assert sum(mu**2 for mu in spent) == pytest.approx(MU**2)
    assert sum(mu**2 for mu in spent) <= MU**2 * (1 + 1e-12)


def test_keys_that_the_first_pass_finds_nobody_of_have_one_weight(paid):
    """Repair 7: a count below the floor is taken for the floor, so a negative one does no harm."""
    _spent, weights = paid
    keys = {"words": shown(20_000, 20, 400)}
    counted, _kept = count_people(keys, MU, 5_000, SeededRandomness(2))
    second = weights[1]
    lowest = second[20:] == second.max()
    assert second.min() >= 1
    assert 0.6 < lowest.mean() < 0.95  # of noise alone 76 % lie below .7 standard deviations
    assert np.all(second[:20] < second.max())
    assert np.all(np.isfinite(counted["words"].count))
    assert LEAST_COUNT == 0.7


@pytest.mark.parametrize(("users", "told"), [(300, 300), (300, 30_000), (4_000, 4_000), (4_000, 400_000)])
@pytest.mark.parametrize("mu", [0.005, 0.02, 0.1])
def test_intervals_hold_the_truth_whatever_the_noise_and_the_number_of_people_told(users, told, mu):
    """Also where noise alone would choose the bound, or tell how much scaling leaves: at a small ε, and where
    the owner is wrong about the number of people by a hundred times.
    """
    keys = {"words": shown(users, 40, 20)}
    true = np.bincount(keys["words"].held.items, minlength=60)
    inside = []
    for seed in range(40):
        counted, _kept = count_people(keys, mu, told, SeededRandomness(seed))
        found = counted["words"]
        inside.append(np.abs(found.count - true)[:40] <= found.spread[:40])
    assert np.mean(inside) > 0.9


@pytest.mark.parametrize("mu", [0.1, 2.0])
def test_a_key_of_the_short_is_not_counted_many_times_where_little_is_kept_of_the_long(mu):
    """One key that 18,000 people hold and nothing else, and 2,000 who hold rare ones: of these, and so of
    what is measured, scaling leaves a tenth; of the common key it leaves all. Intervals took that tenth for
    what is left of every key: at the larger μ they held the truth for 5 % of the keys.
    """
    rare = 1 + (np.arange(2_000)[:, None] * 5 + np.arange(5)) % 400
    items = np.concatenate([np.zeros(18_000), rare.ravel()]).astype(np.int32)
    offsets = np.concatenate([np.arange(18_000), 18_000 + 5 * np.arange(2_001)])
    texts = [f"word{i:03}" for i in range(401)]
    keys = ShownKeys({"word": texts}, np.zeros(401, np.int64), Incidence(offsets, items, 401), 3.0)
    true = np.bincount(items, minlength=401)
    inside, most = [], 0.0
    for seed in range(10):
        counted, kept = count_people({"words": keys}, mu, 20_000, SeededRandomness(seed))
        found = counted["words"]
        assert all(LEAST_KEPT <= share <= 1 for share in kept.values())
        most = max(most, found.count[0])
        inside.append(np.abs(found.count - true) <= found.spread)
    assert most < 2.1 * 18_000
    assert np.mean(inside, axis=0)[0] > 0.9
    assert mu < 1 or np.mean(inside) > 0.9


@pytest.mark.parametrize("noise", [1e-6, 0.01, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("measured", [-40.0, -0.2, 0.0, 0.003, 0.3, 0.499, 0.95, 1.3])
def test_the_share_that_counts_are_divided_by_has_a_floor_and_its_doubt_grows_below(measured, noise):
    """A share that was measured as negative made counts and their noise negative, and weights no numbers."""
    share, surely, unlike = _kept(measured, noise)
    assert LEAST_KEPT <= share <= 1
    assert 0 < surely <= share
    assert 0 < unlike < np.inf
    if measured < LEAST_KEPT and noise < 1e-3:
        assert SURE * unlike >= 1  # down to nobody, and up to what the measured share would say
        assert (1 + SURE * unlike) / share >= 1 / max(measured, 1.01 * noise)
        assert surely == pytest.approx(max(measured, noise), rel=0.01)
