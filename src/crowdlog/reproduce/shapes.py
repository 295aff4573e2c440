"""What a claim about a shape means in numbers.

A curve that is 0 everywhere neither rises nor falls: without data no claim holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise


def falls(values: Sequence[float]) -> bool:
    """Never goes up, and ends below where it began."""
    return len(values) > 1 and all(a >= b for a, b in pairwise(values)) and values[-1] < values[0]


def rises(values: Sequence[float]) -> bool:
    """Never goes down, and ends above where it began."""
    return falls([-value for value in values])


def peak(curve: Mapping[int, float]) -> int:
    """Where a curve is highest: the first such place."""
    return max(curve, key=lambda x: curve[x])


def peaks_inside(curve: Mapping[int, float]) -> bool:
    """Higher somewhere in the middle than at both ends."""
    values = list(curve.values())
    return max(values) > max(values[0], values[-1])


def always_above(upper: Sequence[float], lower: Sequence[float]) -> bool:
    """At least as high at every place, and higher at one."""
    pairs = list(zip(upper, lower, strict=True))
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)
