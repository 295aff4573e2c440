"""Steps that several mechanisms share: select keys by a noisy threshold, publish counts with fresh noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.thresholds import Threshold

if TYPE_CHECKING:
    from crowdlog.privacy.randomness import Randomness

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

INJECTION = (
    "Fake users can lift a private text over the threshold: who knows it and makes enough accounts gets it published (Korolova et al. 2009, §8)."
)
HONEST_USERS = "A user of the log is one person. A person with several accounts is protected per account."


def select(counts: Ints, threshold: Threshold, randomness: Randomness) -> Mask:
    """Which keys are selected: count + fresh noise > K. A count below the raw bar is never selected."""
    noisy = counts + threshold.noise.draw(len(counts), randomness)
    return (noisy > threshold.K) & (counts >= threshold.at_least)


def add_noise(counts: Ints, scale: float, randomness: Randomness, *, clean: bool) -> Ints:
    """Counts with fresh noise. Cleaning (negative to 0) looks at published numbers only, so it costs nothing."""
    noisy = counts + DiscreteLaplace(scale).draw(len(counts), randomness)
    return np.maximum(noisy, 0) if clean else noisy


def laplace_sd(scale: float) -> float:
    """Standard deviation of the discrete Laplace distribution: √2·√p/(1 − p) with p = e^(−1/scale)."""
    return math.sqrt(2) * math.exp(-0.5 / scale) / -math.expm1(-1 / scale)
