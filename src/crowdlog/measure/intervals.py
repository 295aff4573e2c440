"""How sure a number is: exact intervals of a share (Clopper and Pearson 1934) and of a mean of shares
(Waudby-Smith and Ramdas 2024), resampling, the t-test.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from crowdlog.types import Bools, Floats, Ints

CONFIDENCE = 0.95
RESAMPLES = 1000  # our choice
CELLS = 4_000_000  # resampled entries held at once: 32 MB
STEPS = 2_000  # means that are tried from 0 to 1
STAKE = 0.75  # of the capital at most

Interval = tuple[float, float]


def lower_bound(successes: ArrayLike, trials: ArrayLike, alpha: float) -> Floats:
    """At most the true probability, except with probability alpha."""
    from scipy.stats import beta  # here, because it takes a second

    hits, all_ = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    return np.where(hits > 0, beta.ppf(alpha, np.maximum(hits, 1), all_ - hits + 1), 0.0)


def upper_bound(successes: ArrayLike, trials: ArrayLike, alpha: float) -> Floats:
    """At least the true probability, except with probability alpha."""
    from scipy.stats import beta  # here, because it takes a second

    hits, all_ = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    return np.where(hits < all_, beta.isf(alpha, hits + 1, np.maximum(all_ - hits, 1)), 1.0)


def clopper_pearson(hits: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """The exact interval of a share: it holds the true share at least as often as `confidence` says."""
    tail = (1 - confidence) / 2
    return float(lower_bound(hits, trials, tail)), float(upper_bound(hits, trials, tail))


def mean_interval(shares: Floats, confidence: float = CONFIDENCE) -> Interval:
    """The interval of the mean of independent numbers from 0 to 1, whatever their distribution: it holds the
    mean at least as often as `confidence` says.

    Somebody who bets that the mean is more than m multiplies her capital by a million only once in a million
    times if it is not. The interval ends where she, or who bets on less, has become rich enough.
    """
    tail = (1 - confidence) / 2
    means = np.linspace(0, 1, STEPS + 1)
    low = means[~_rich(shares, means, tail)].min(initial=1.0)
    high = 1 - means[~_rich(1 - shares, means, tail)].min(initial=1.0)
    return max(0.0, float(low) - 1 / STEPS), min(1.0, float(high) + 1 / STEPS)


def _rich(shares: Floats, means: Floats, tail: float) -> Bools:
    """Which of these means a bet on more refutes: the capital was once above 1/tail."""
    n = len(shares)
    so_far = np.arange(1, n + 1)
    centre = (0.5 + np.cumsum(shares)) / (so_far + 1)
    spread = (0.25 + np.cumsum((shares - centre) ** 2)) / (so_far + 1)
    # every stake is fixed before the number that decides it is seen
    stake = np.sqrt(2 * np.log(1 / tail) / (n * np.concatenate([[0.25], spread[:-1]])))
    capital, most = np.zeros(len(means)), np.zeros(len(means))
    for share, bold in zip(shares, stake, strict=True):
        capital += np.log1p(np.minimum(bold, STAKE / np.maximum(means, 1e-9)) * (share - means))
        most = np.maximum(most, capital)
    rich: Bools = most >= np.log(1 / tail)
    return rich


def bootstrap_mean(
    values: Floats, generator: np.random.Generator, sizes: Floats | None = None
) -> Interval | None:
    """The percentile interval of the mean. None without values. With `sizes` the values are sums of groups,
    each of which is drawn whole, and the mean is that over all their members.
    """
    n = len(values)
    if n == 0:
        return None
    at_once = max(1, CELLS // n)
    means = []
    for done in range(0, RESAMPLES, at_once):
        drawn = generator.integers(0, n, (min(at_once, RESAMPLES - done), n))
        members = n if sizes is None else sizes[drawn].sum(axis=1)
        means.append(values[drawn].sum(axis=1) / members)
    return _middle(np.concatenate(means))


def bootstrap_share(hits: int, n: int, generator: np.random.Generator) -> Interval | None:
    """The same for a share of n things: resampling yes and no is drawing from a binomial distribution."""
    return _middle(generator.binomial(n, hits / n, RESAMPLES) / n) if n else None


def bootstrap_ratio(hits: Ints, sizes: Ints, generator: np.random.Generator) -> Interval | None:
    """The same for things in groups that stand or fall together: whole groups are drawn.

    One group is a share.
    """
    hits, sizes = hits[sizes > 0], sizes[sizes > 0]
    if len(sizes) < 2:
        return bootstrap_share(int(hits.sum()), int(sizes.sum()), generator)
    drawn = generator.integers(0, len(sizes), (RESAMPLES, len(sizes)))
    return _middle(hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))


def _middle(resampled: Floats) -> Interval:
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


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
