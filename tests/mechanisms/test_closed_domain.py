"""Every entry of a public list with noise: one person moves counts by at most d, and the noise covers it."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.mechanisms import parse
from crowdlog.plan.decide import by_counts
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import crowd_rows, make_log
from tests.support.randomness import FrozenRandomness

LIST = ["weather", "maps", "nobody asks this", "hers"]


def counted(log, mechanism):
    (plan,) = mechanism.plan
    with mechanism.open(log) as source:
        found = source.counts(plan, FrozenRandomness())
    return dict(zip(range(len(LIST)), found.impressions, strict=True))


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("\n".join(LIST) + "\n")
    return str(path)


@pytest.mark.parametrize("keep", ["first", "random"])
def test_one_person_moves_counts_by_at_most_d_and_the_noise_covers_it(tmp_path, pool, keep):
    rows = crowd_rows(5, ["weather", "maps"])
    hers = [
        ("zoe", text, 60 * n, None) for n, text in enumerate(["hers", "weather", "hers", "maps", "hers"] * 3)
    ]
    mechanism = parse(f"ClosedDomain(epsilon=1.5, d=4, pool={pool!r}, keep={keep!r})")
    without = counted(make_log(tmp_path, rows, "without"), mechanism)
    beside = counted(make_log(tmp_path, [*rows, *hers], "with"), mechanism)
    moved = [abs(beside[place] - without[place]) for place in without]
    assert 0 < sum(moved) <= 4
    (plan,) = mechanism.plan
    x = np.arange(-200, 200)
    law = plan.noise.log_pmf
    worst = sum(np.max(np.abs(law(x) - law(x - shift))) for shift in moved)
    assert worst <= 1.5
    assert 4 / plan.noise.scale <= 1.5  # for every way to move by 4 in all
    assert mechanism.promise().guarantee.delta < 1e-30


def test_all_entries_are_there_with_the_noise_of_the_plan(tmp_path, pool):
    mechanism = parse(f"ClosedDomain(epsilon=1, d=2, pool={pool!r})")
    log = make_log(tmp_path, crowd_rows(9, ["weather", "maps", "not in the list"]))
    (plan,) = mechanism.plan
    with mechanism.open(log) as source:
        found = source.counts(plan, SeededRandomness(1))
        assert sorted(found.impressions) == [0, 0, 9, 9]
        kept = by_counts(plan, found, SeededRandomness(1))
        table = source.table(plan, kept)
    assert sorted(table["query"].to_pylist()) == sorted(LIST)
    # the same draws as the noise by itself: nothing is added, left out or cleaned
    assert np.array_equal(kept.count - found.impressions, plan.noise.draw(4, SeededRandomness(1)))
