"""Rounded Gaussian noise in one compiled pass over random words. Proof: proofs/selection-noise.md.

Imported where there is much to draw: numba takes a second to load.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from crowdlog.privacy.normal_quantile import (
    FAR,
    FAR_BELOW,
    MIDDLE,
    MIDDLE_BELOW,
    OUTER,
    OUTER_BELOW,
    ratio,
)

_SIGN = np.uint32(1 << 31)
_ratio = njit(cache=True)(ratio)


@njit(cache=True)
def upper_quantile_of(p: float) -> float:
    """x with P(N > x) = p, for 0 < p ≤ ½."""
    middle = 0.5 - p
    if middle <= 0.425:
        ratio: float = _ratio(MIDDLE, MIDDLE_BELOW, 0.180625 - middle * middle)
        return middle * ratio
    r = math.sqrt(-math.log(p))
    if r <= 5.0:
        return _ratio(OUTER, OUTER_BELOW, r - 1.6)  # type: ignore[no-any-return]
    return _ratio(FAR, FAR_BELOW, r - 5.0)  # type: ignore[no-any-return]


@njit(cache=True)
def rounded_words(words: Any, sigma: float, slope: float, error: float) -> tuple[Any, Any]:
    """Of each word round(N), by its first bit the sign and by the others the cell of the tail probability;
    and which words leave it in doubt.
    """
    drawn = np.zeros(len(words), np.int64)
    doubt = np.zeros(len(words), np.bool_)
    for at in range(len(words)):
        negative = words[at] < _SIGN
        cell = np.float64(words[at] if negative else ~words[at])
        value = sigma * upper_quantile_of((cell + 0.5) * 2.0**-32)
        nearest = np.rint(value)
        # cell 0 reaches to infinity: never certain
        if cell > 0.0 and 0.5 - abs(value - nearest) > sigma * (slope / cell + error):
            drawn[at] = np.int64(-nearest if negative else nearest)
        else:
            doubt[at] = True
    return drawn, doubt
