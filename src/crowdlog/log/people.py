"""Are two logs of the same people?

Told by a sketch of the user names, kept in store.json for its owner alone.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from itertools import pairwise

from crowdlog.log.encode import Dictionary

SIZE = 256  # hashes of a sketch: shares of 5 % and more are seen
_PART = 1 << 16
SAME = 0.05  # the share of common users from which on two logs are asked about


def sketch(users: Dictionary) -> list[str]:
    """The smallest hashes of the user names: of two logs, the share they have in common is that of their
    users.
    """
    return heapq.nsmallest(SIZE, (hashlib.sha256(name).hexdigest()[:16] for name in _names(users)))


def _names(users: Dictionary) -> Iterable[bytes]:
    for low in range(0, len(users), _PART):
        data, offsets = users.slice(low, min(low + _PART, len(users)))
        text, ends = data.tobytes(), offsets.tolist()
        for begin, end in pairwise(ends):
            yield text[begin:end]


def in_common(one: Sequence[str], other: Sequence[str]) -> float:
    """About which share of the users of both logs together is in both."""
    both = sorted({*one, *other})[: max(min(len(one), len(other), SIZE), 1)]
    return sum(name in set(one) and name in set(other) for name in both) / len(both) if both else 0.0
