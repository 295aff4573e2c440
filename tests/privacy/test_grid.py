"""Cells that nobody holds: the law is that of noise drawn for each of them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2, ks_2samp

from crowdlog.privacy.grid import BITS, EmptyCells, _heads
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.graded import WEIGHT, Graded, Grades
from crowdlog.privacy.selection.incidence import Incidence

GRADED = Graded(AdaptiveGaussian(rounds=6), 0.3)
CELLS, Z = 2000, 2.0


def drawn(runs, randomness, bar):
    """Every cell as an item that nobody holds: the mechanism of the proof."""
    nobody = Incidence(np.zeros(1, np.int64), np.zeros(0, np.int32), CELLS)
    return [GRADED.select(nobody, Grades.alike(CELLS, bar), randomness) for _ in range(runs)]


@pytest.fixture(scope="module")
def both():
    bar = float(GRADED.bar(Z))
    randomness = SeededRandomness(11)
    cells = EmptyCells(GRADED, CELLS, bar)
    return drawn(60, randomness, bar), [cells.passing(randomness) for _ in range(60)]


def test_as_many_pass_with_the_same_weights(both):
    every, empty = ([len(each.items) for each in side] for side in both)
    assert abs(np.mean(every) - np.mean(empty)) < 5 * np.sqrt(2 * np.mean(every) / 60)
    assert np.mean(empty) <= CELLS * 0.02275 * 1.1  # the allowance is P(N ≥ 2)
    weights = [np.concatenate([each.weights for each in side]) for side in both]
    assert ks_2samp(*weights).pvalue > 1e-4


def test_weights_are_whole_multiples_of_the_weight_unit_like_those_of_held_items(both):
    """A real-valued number would tell which rows nobody holds."""
    for side in both:
        scaled = np.concatenate([each.weights for each in side]) * WEIGHT
        assert np.array_equal(scaled, np.rint(scaled))


def test_names_are_uniform_and_distinct(both):
    places = np.concatenate([each.items for each in both[1]])
    assert all(len(np.unique(each.items)) == len(each.items) for each in both[1])
    seen = np.bincount(places // (CELLS // 10), minlength=10)
    assert chi2.sf(((seen - seen.mean()) ** 2 / seen.mean()).sum(), 9) > 1e-4


def test_the_chance_covers_everything_that_could_pass():
    """Rounding adds half a unit at most: p₀ is at least the exact chance to come that near,
    and hardly more.
    """
    cells = EmptyCells(GRADED, CELLS, float(GRADED.bar(4.0)))
    with mpmath.workprec(BITS):
        chance = cells._chance()
        exact = mpmath.erfc(mpmath.mpf(4) / mpmath.sqrt(2)) / 2
        assert exact * (1 - 1e-9) < chance < exact * 1.01
        assert mpmath.ldexp(chance, 64) == mpmath.floor(mpmath.ldexp(chance, 64))


@pytest.mark.parametrize("chance", [0.001, 0.3, 1.0])
def test_marks_are_coins(chance):
    randomness, runs, cells = SeededRandomness(3), 40, 500
    with mpmath.workprec(BITS):
        marks = [_heads(cells, mpmath.mpf(chance), randomness) for _ in range(runs)]
    assert all(sorted(set(each)) == each and all(0 <= place < cells for place in each) for each in marks)
    total = sum(map(len, marks))
    assert abs(total - runs * cells * chance) <= 5 * np.sqrt(runs * cells * chance * (1 - chance)) + 1e-9


def test_no_cells():
    assert len(EmptyCells(GRADED, 0, 1.0).passing(SeededRandomness(1)).items) == 0
