"""The chances of truncated geometric selection meet both inequalities of (ε, δ) exactly and no larger ones
do.
"""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import binomtest

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.truncated_geometric import ONE, TruncatedGeometric, passes


@pytest.mark.parametrize(
    ("epsilon", "delta", "d"), [(1.0, 1e-5, 1), (2.3, 1e-8, 3), (0.1, 0.01, 1), (5.0, 1e-12, 1)]
)
def test_neighbouring_counts_are_private_and_tight(epsilon: float, delta: float, d: int) -> None:
    chances = [*TruncatedGeometric(d).chances(epsilon, delta), ONE]
    slip = Fraction(delta) * ONE / d
    with mpmath.workprec(600):
        factor = mpmath.exp(mpmath.mpf(epsilon) / d)
        exact = [mpmath.mpf(chance) for chance in chances]
        slip_exact = mpmath.mpf(slip.numerator) / slip.denominator
        for before, after in itertools.pairwise(exact):
            appears = factor * before + slip_exact - after
            vanishes = factor * (ONE - after) + slip_exact - (ONE - before)
            assert appears >= 0
            assert vanishes >= 0
            assert min(appears, vanishes) < 2**16 or after == ONE  # the larger chance would break one of them
    assert chances[0] == 0
    assert chances[1] == int(slip)


def test_draws_have_these_chances() -> None:
    chances = TruncatedGeometric(1).chances(1.0, 0.01)
    for count in (1, 3, len(chances) - 1):
        kept = int(passes(chances, np.full(20_000, count), SeededRandomness(3)).sum())
        assert binomtest(kept, 20_000, chances[count] / ONE).pvalue > 1e-4
    assert passes(chances, np.full(100, len(chances)), SeededRandomness(3)).all()
    assert not passes(chances, np.zeros(1000, np.int64), SeededRandomness(3)).any()


def test_a_vanishing_epsilon_is_refused() -> None:
    with pytest.raises(InputError, match=r"Got 5e-05"):
        TruncatedGeometric(2).chances(1e-4, 1e-5)
