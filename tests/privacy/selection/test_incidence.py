"""The users' sets: distinct, bounded without looking at anybody else, renumbered without loss."""

import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.incidence import Incidence
from tests.privacy.selection.small import make


def sets_of(incidence: Incidence) -> list[set[int]]:
    return [
        set(incidence.items[a:b].tolist())
        for a, b in zip(incidence.offsets[:-1], incidence.offsets[1:], strict=True)
    ]


def test_repeats_count_once() -> None:
    found = make([[5, 2, 5, 5], [2], [0, 0]], 6)
    assert sets_of(found) == [{5, 2}, {2}, {0}]
    assert found.holders().tolist() == [1, 0, 2, 0, 0, 1]
    assert repr(found) == "Incidence(3 users, 4 held items of 6)"


def test_bounding_keeps_small_sets_whole_and_large_ones_at_the_bound() -> None:
    found = make([list(range(40)), [1, 2], list(range(5))], 40).bounded(5, SeededRandomness(1))
    big, small, edge = sets_of(found)
    assert len(big) == 5
    assert (small, edge) == ({1, 2}, set(range(5)))


def test_every_item_is_kept_equally_often() -> None:
    kept = make([list(range(20))] * 4000, 20).bounded(5, SeededRandomness(2)).holders()
    assert kept.sum() == 20_000
    assert np.all(np.abs(kept - 1000) < 6 * np.sqrt(1000 * 0.75))


def test_equal_tags_at_the_bound_are_dropped_together() -> None:
    class Same:
        private = False

        def bytes(self, n: int) -> bytes:
            return bytes(n)

    assert len(make([list(range(9))], 9).bounded(4, Same()).items) == 0


def test_keeping_some_items_renumbers_them() -> None:
    found = make([[0, 3, 4], [3], [1]], 6)
    assert sets_of(found.only(np.array([3, 4]))) == [{0, 1}, {0}, set()]
    held, ids = found.held()
    assert ids.tolist() == [0, 1, 3, 4]
    assert sets_of(held) == [{0, 2, 3}, {2}, {1}]


def test_what_is_no_incidence_is_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        Incidence(np.array([0, 1]), np.array([2], np.int32), 2)
    with pytest.raises(InputError, match="without repeats"):
        Incidence(np.array([0, 2]), np.array([1, 1], np.int32), 2)
    with pytest.raises(InputError, match="run from 0 to"):
        Incidence(np.array([0, 3]), np.array([1], np.int32), 2)
