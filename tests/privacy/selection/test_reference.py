"""Our policy Gaussian, DP-SIPS and weighted Gaussian keep as many keys as independent float versions of their
papers, on the same log.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.base import Selection
from crowdlog.privacy.selection.dp_sips import DPSIPS
from crowdlog.privacy.selection.policy_gaussian import PolicyGaussian
from crowdlog.privacy.selection.weighted_gaussian import WeightedGaussian
from tests.privacy.selection import reference
from tests.privacy.selection.small import skewed

EPSILON, DELTA, MOST, RUNS = 2.0, 1e-3, 20, 40
PARTS = [1 / 21, 4 / 21, 16 / 21]
PAIRS: dict[str, tuple[Selection, Callable[[reference.Sets, np.random.Generator], set[int]]]] = {
    "weighted": (
        WeightedGaussian(MOST),
        lambda sets, rng: reference.weighted_gaussian(sets, EPSILON, DELTA, MOST, rng),
    ),
    "policy, margin 5": (
        PolicyGaussian(MOST, margin=5.0),
        lambda sets, rng: reference.policy_gaussian(sets, EPSILON, DELTA, MOST, 5.0, rng),
    ),
    "policy, margin 2": (
        PolicyGaussian(MOST, margin=2.0),
        lambda sets, rng: reference.policy_gaussian(sets, EPSILON, DELTA, MOST, 2.0, rng),
    ),
    "sips": (
        DPSIPS(MOST, rounds=3, ratio=4.0),
        lambda sets, rng: reference.dp_sips(sets, EPSILON, DELTA, MOST, PARTS, rng),
    ),
}
LOG = skewed(users=500, seed=5)
SETS = [LOG.items[a:b].astype(np.int64) for a, b in zip(LOG.offsets[:-1], LOG.offsets[1:], strict=True)]


@pytest.mark.parametrize("name", PAIRS)
def test_as_many_keys_as_the_paper(name: str) -> None:
    ours, theirs = PAIRS[name]
    kept = [len(ours.select(LOG, EPSILON, DELTA, SeededRandomness(seed)).items) for seed in range(RUNS)]
    expected = [len(theirs(SETS, np.random.default_rng(seed))) for seed in range(RUNS)]
    error = math.sqrt((np.var(kept) + np.var(expected)) / RUNS)
    assert np.mean(expected) > 20
    assert abs(np.mean(kept) - np.mean(expected)) < 4 * error
    assert error < 0.03 * np.mean(expected)  # so that a wrong scale or threshold would show
