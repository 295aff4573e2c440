"""How sure a difference is: the two-tailed paired t-test and the bootstrap interval."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
RESAMPLES = 1000  # our choice
CELLS = 4_000_000  # resampled entries held at once: 32 MB


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


def bootstrap_interval(scores: Floats, generator: np.random.Generator, level: float = 0.95) -> tuple[float, float] | None:
    """The percentile interval of the mean. None without scores."""
    n = len(scores)
    if n == 0:
        return None
    at_once = max(1, CELLS // n)
    means = [scores[generator.integers(0, n, (min(at_once, RESAMPLES - done), n))].mean(axis=1) for done in range(0, RESAMPLES, at_once)]
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_share(hits: int, n: int, generator: np.random.Generator, level: float = 0.95) -> tuple[float, float] | None:
    """The same for a share of n things: resampling yes and no is drawing from a binomial distribution."""
    if n == 0:
        return None
    low, high = np.quantile(generator.binomial(n, hits / n, RESAMPLES) / n, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def bootstrap_ratio(hits: Counts, sizes: Counts, generator: np.random.Generator, level: float = 0.95) -> tuple[float, float] | None:
    """The same when things come in groups that stand or fall together: whole groups are drawn again. A single group is a share."""
    hits, sizes = hits[sizes > 0], sizes[sizes > 0]
    if len(sizes) < 2:
        return bootstrap_share(int(hits.sum()), int(sizes.sum()), generator, level)
    drawn = generator.integers(0, len(sizes), (RESAMPLES, len(sizes)))
    low, high = np.quantile(hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
