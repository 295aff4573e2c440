"""An exact table sampler: random bits in, integers of a given distribution out, no float between them.

Proof: proofs/noise.md.

The distribution function is held as 128-bit integers C[0] ≤ C[1] ≤ …; a uniform 128-bit number u gives the
first index k with u < C[k]. The upper 16 bits of u nearly always decide: only where a C[k] falls inside their
bucket are the other 112 bits drawn and searched for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from crowdlog.privacy.keyed import only
from crowdlog.privacy.randomness import Randomness

BITS = 128  # width of u and of the distribution function
QUICK = 16  # bits that are drawn for every number
CHUNK = 1 << 18  # numbers drawn at once: keeps the working memory in the processor's cache
UNDECIDED = np.iinfo(np.int32).min


class Table:
    """Draws 0 … n−1 with probabilities in proportion to n positive integer weights, plus `first`."""

    def __init__(self, weights: Sequence[int], first: int) -> None:
        sums = list(accumulate(weights))
        # Rounded down; the last bound, 2^128, is never reached by u and is left out.
        self._bounds = [(partial << BITS) // sums[-1] for partial in sums[:-1]]
        self._first = first
        self._upper_half = np.array([bound >> 64 for bound in self._bounds], dtype=np.uint64)
        self._quick = self._buckets()

    @property
    def statistical_distance(self) -> float:
        """At most n·2^-128 from the distribution the weights were cut and rounded from (exact in a float, n <
        2^53).
        """
        return (len(self._bounds) + 1) * 2.0**-BITS

    def _buckets(self) -> NDArray[np.int32]:
        """A lookup table: for each value of the first QUICK bits, the number that they already determine, or
        UNDECIDED.
        """
        rest = BITS - QUICK
        buckets = np.arange(1 << QUICK)
        lowest = np.searchsorted(
            np.array([-(-bound >> rest) for bound in self._bounds], dtype=np.int64), buckets, side="right"
        )
        highest = np.searchsorted(
            np.array([bound >> rest for bound in self._bounds], dtype=np.int64), buckets, side="right"
        )
        return np.where(lowest == highest, lowest + self._first, UNDECIDED).astype(np.int32)

    def draw(self, n: int, randomness: Randomness) -> NDArray[np.int64]:
        """Return n independent numbers; for many, `draw_digits` needs less memory."""
        quick = np.frombuffer(randomness.bytes(2 * n), dtype="<u2")
        drawn: NDArray[np.int64] = self._quick[quick].astype(np.int64)
        undecided = np.flatnonzero(drawn == UNDECIDED)
        drawn[undecided] = self._search(quick[undecided], only(randomness, undecided))
        return drawn

    def _search(self, quick: NDArray[np.uint16], randomness: Randomness) -> NDArray[np.int64]:
        """Draw the remaining 112 bits (48 and 64; the 16 spare bits of the first word are dropped) and look
        up all 128.
        """
        words = np.frombuffer(randomness.bytes(16 * len(quick)), dtype="<u8").reshape(-1, 2)
        upper = (quick.astype(np.uint64) << np.uint64(48)) | (words[:, 0] >> np.uint64(16))
        found = np.searchsorted(self._upper_half, upper, side="right")
        # Where a bound has the very same upper half the lower half decides, in Python's exact integers.
        for i in np.flatnonzero(np.searchsorted(self._upper_half, upper, side="left") != found):
            found[i] = bisect_right(self._bounds, (int(upper[i]) << 64) | int(words[i, 1]))
        return found + self._first


def draw_digits(tables: Sequence[Table], base: int, n: int, randomness: Randomness) -> NDArray[np.int64]:
    """n independent numbers, each the sum of one draw per table, every table worth `base` times the next."""
    out = np.empty(n, dtype=np.int64)
    for start in range(0, n, CHUNK):
        part = out[start : start + CHUNK]
        part[:] = 0
        for table in tables:
            part *= base
            part += table.draw(len(part), only(randomness, slice(start, start + CHUNK)))
    return out
