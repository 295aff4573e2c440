"""Exact confidence bounds of a probability from counted successes (Clopper and Pearson 1934)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def lower(successes: ArrayLike, trials: ArrayLike, alpha: float) -> Floats:
    """At most the true probability, except with probability alpha."""
    hits, all_ = _floats(successes, trials)
    return np.where(hits > 0, _beta().ppf(alpha, np.maximum(hits, 1), all_ - hits + 1), 0.0)


def upper(successes: ArrayLike, trials: ArrayLike, alpha: float) -> Floats:
    """At least the true probability, except with probability alpha."""
    hits, all_ = _floats(successes, trials)
    return np.where(hits < all_, _beta().isf(alpha, hits + 1, np.maximum(all_ - hits, 1)), 1.0)


def _floats(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    return np.asarray(successes, np.float64), np.asarray(trials, np.float64)


def _beta() -> Any:
    from scipy.stats import beta  # here, because it takes a second

    return beta
