"""The compiled quantile against 400-bit arithmetic, and draws by it against the other way."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from crowdlog.privacy import rounded_gaussian
from crowdlog.privacy.normal_quantile import upper_quantiles
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.rounded_gaussian import FLOAT_ERROR, SLOPE, RoundedGaussian
from crowdlog.privacy.rounded_words import rounded_words, upper_quantile_of


def test_both_quantiles_are_far_better_than_their_allowance() -> None:
    # every power of two that 64 bits reach, and the seams of the three formulas
    edges = [0.5, 0.075, np.nextafter(0.075, 0), np.exp(-25.0), np.nextafter(np.exp(-25.0), 0)]
    asked = [float(p) for p in [*(2.0**-k * (1 + j / 7) for k in range(2, 67) for j in range(7)), *edges]]
    with mpmath.workprec(400):
        exact = [float(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(p))) for p in asked]
    compiled = np.array([upper_quantile_of(p) for p in asked])
    assert np.abs(compiled - exact).max() < FLOAT_ERROR / 50
    assert np.abs(upper_quantiles(np.array(asked)) - exact).max() < FLOAT_ERROR / 50


@pytest.mark.parametrize("sigma", [0.7, 3.3, 26000.5, 1e8])
def test_both_ways_draw_the_same_numbers(sigma: float, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = RoundedGaussian(sigma).draw(rounded_gaussian.COMPILED, SeededRandomness(4))
    monkeypatch.setattr(rounded_gaussian, "COMPILED", 1 << 62)
    assert np.array_equal(
        compiled, RoundedGaussian(sigma).draw(rounded_gaussian.CHUNK >> 5, SeededRandomness(4))
    )


def test_the_outermost_cells_are_in_doubt_and_signs_follow_the_first_bit() -> None:
    words = np.array([0, 2**32 - 1, 2**30, 2**32 - 1 - 2**30], np.uint32)
    drawn, doubt = rounded_words(words, 100.0, SLOPE, FLOAT_ERROR)
    assert doubt.tolist() == [True, True, False, False]
    assert drawn.tolist() == [0, 0, -67, 67]  # a quarter lies beyond .6745 standard deviations
