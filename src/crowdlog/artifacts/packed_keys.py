"""A key of two ids is one number: first · 2³² + second. Ids are at least 0 and below 2³¹, so keys sort by first, then second."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.types import Ints

SHIFT = 2**32


def pack(first: Any, second: Any) -> Ints:
    """Two arrays of ids as one array of keys."""
    packed: Ints = np.asarray(first).astype(np.int64) * SHIFT + second
    return packed


def unpack(keys: Ints) -> tuple[Ints, Ints]:
    """The two ids of each key."""
    return keys // SHIFT, keys % SHIFT
