"""How sure a difference is: the two-tailed paired t-test."""

from __future__ import annotations

import numpy as np

from crowdlog.types import Floats


def paired_t_test(first: Floats, second: Floats) -> float | None:
    """The two-tailed p-value that paired scores have the same mean. None with fewer than two pairs."""
    from scipy.stats import t

    n = len(first)
    if n < 2:
        return None
    difference = first - second
    spread = difference.std(ddof=1)
    if spread == 0:
        return 1.0 if difference[0] == 0 else 0.0
    statistic = difference.mean() / (spread / np.sqrt(n))
    return float(2 * t.sf(abs(statistic), n - 1))
