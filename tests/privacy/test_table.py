"""The sampler: every bucket of a tiny table by hand, and the path that needs all 128 bits."""

from bisect import bisect_right
from collections import Counter

import numpy as np
import pytest

from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.table import CHUNK, UNDECIDED, Table, draw_digits


class Scripted:
    """Random bytes that a test wrote down."""

    private = False

    def __init__(self, *parts: bytes) -> None:
        self._parts = list(parts)

    def bytes(self, n: int) -> bytes:
        part = self._parts.pop(0)
        assert len(part) == n
        return part


def words(u: int) -> tuple[bytes, bytes]:
    """The bytes from which the sampler makes the 128-bit number u: 16 bits, then 48 (and 16 spare) and 64."""
    upper, lower = u >> 64, u & (1 << 64) - 1
    return (u >> 112).to_bytes(2, "little"), ((upper & (1 << 48) - 1) << 16).to_bytes(
        8, "little"
    ) + lower.to_bytes(8, "little")


WEIGHTS = [1, 3, (1 << 40) + 1, 1, 1, 12345678901, 2]


def bounds() -> list[int]:
    total = sum(WEIGHTS)
    return [(sum(WEIGHTS[: k + 1]) << 128) // total for k in range(len(WEIGHTS) - 1)]


def test_every_bucket_is_decided_exactly_when_it_holds_no_boundary() -> None:
    table, edges = Table(WEIGHTS, first=-3), bounds()
    for bucket in range(1 << 16):
        low, high = bisect_right(edges, bucket << 112), bisect_right(edges, ((bucket + 1) << 112) - 1)
        assert table._quick[bucket] == (low - 3 if low == high else UNDECIDED)
    assert np.count_nonzero(table._quick == UNDECIDED) > 0


@pytest.mark.parametrize("boundary", range(len(WEIGHTS) - 1))
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_all_128_bits_decide_at_a_boundary(boundary: int, offset: int) -> None:
    u = bounds()[boundary] + offset
    assert Table(WEIGHTS, first=0).draw(1, Scripted(*words(u))).tolist() == [bisect_right(bounds(), u)]


def test_a_boundary_on_the_edge_of_a_bucket_leaves_it_decided() -> None:
    table = Table([1, 1], first=0)
    assert table._quick[32767] == 0
    assert table._quick[32768] == 1
    assert UNDECIDED not in table._quick


def test_one_weight_is_always_drawn() -> None:
    assert set(Table([7], first=5).draw(1000, SeededRandomness(1)).tolist()) == {5}


def test_chunks_join_and_frequencies_are_right() -> None:
    drawn = draw_digits([Table([1, 2, 1], first=-1)], 1, 4 * CHUNK + 5, SeededRandomness(2))
    assert len(drawn) == 4 * CHUNK + 5
    counts = Counter(drawn.tolist())
    assert abs(counts[0] / len(drawn) - 0.5) < 0.005  # ten standard deviations


def test_digits_count_base_times_the_next() -> None:
    certain = [Table([1], first=first) for first in (1, -2, 3)]
    assert draw_digits(certain, 10, 2, SeededRandomness(4)).tolist() == [83, 83]


def test_nothing_is_drawn_for_nothing() -> None:
    assert Table([1, 2], first=0).draw(0, SeededRandomness(3)).tolist() == []
