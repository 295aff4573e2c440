"""What all distances share."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.clusters.distances.base import mirror


@pytest.mark.parametrize("users", [0, 1, 2, 63, 64, 65, 200])
def test_the_lower_half_is_mirrored(users):
    whole = np.random.default_rng(users).integers(1, 1000, (users, users)).astype(np.int32)
    lower = np.tril(whole, -1)
    mirrored = lower.copy()
    mirror(mirrored)
    assert (mirrored == lower + lower.T).all()
