"""A key of two ids is one number: first · 2³² + second.

Ids are from 0 to 2³¹ − 1: keys sort by first, then second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.types import Ints

SHIFT = 2**32


def pack(first: Any, second: Any) -> Ints:
    """Two arrays of ids as one array of keys."""
    packed = np.asarray(first).astype(np.int64)  # a copy, changed in place: there may be very many keys
    packed *= SHIFT
    packed += second
    return packed


def unpack(keys: Ints) -> tuple[Ints, Ints]:
    """The two ids of each key."""
    return keys // SHIFT, keys % SHIFT


def distinct_keys(keys: Ints) -> tuple[Ints, Ints]:
    """The different keys in rising order, and the place of each key among them: `np.unique`, but only the
    different ones are sorted, which takes a third of the time where keys repeat.
    """
    encoded: Any = pa.array(keys).dictionary_encode()
    found: Ints = encoded.dictionary.to_numpy()
    order = np.argsort(found)
    place = np.empty(len(found), np.int64)
    place[order] = np.arange(len(found))
    return found[order], place[encoded.indices.to_numpy()]
