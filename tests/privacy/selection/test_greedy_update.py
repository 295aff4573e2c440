"""GreedyUpdate: its threshold is the smallest that keeps δ."""

from __future__ import annotations

import math

import mpmath
import pytest

from crowdlog.privacy.selection.greedy_update import GRID, threshold


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (math.log(10), 1e-8), (0.2, 1e-6), (1.0, 0.3)])
def test_a_lone_unit_passes_with_nearly_delta_and_never_more(epsilon: float, delta: float) -> None:
    """P(GRID + Z ≥ t) from the distribution itself, at 300 bits; the noise is large enough for ε."""
    noise, least = threshold(epsilon, delta)
    with mpmath.workprec(300):
        q = mpmath.exp(-1 / mpmath.mpf(noise.scale))

        def passes(at):
            over = at - GRID
            return q**over / (1 + q) if over >= 0 else 1 - q ** (1 - over) / (1 + q)

        assert passes(least) <= delta < passes(least - 1)
        assert GRID / mpmath.mpf(noise.scale) <= epsilon


def test_it_is_the_published_threshold_to_one_grid_step() -> None:
    """1 + ln(1/2δ)/ε (Carvalho et al. 2022)."""
    _noise, least = threshold(1.0, 1e-5)
    assert abs(least / GRID - (1 + math.log(1 / 2e-5))) <= 2 / GRID
