"""Keys of two ids, and different keys in order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.packed_keys import distinct_keys, pack, unpack

ids = st.integers(0, 2**31 - 1)


@given(st.lists(st.tuples(ids, ids)))
def test_two_ids_come_back(pairs):
    first, second = (np.array([pair[place] for pair in pairs], np.int64) for place in (0, 1))
    assert [part.tolist() for part in unpack(pack(first, second))] == [first.tolist(), second.tolist()]


@given(st.lists(st.integers(-5, 5) | st.integers(-(2**62), 2**62)))
def test_different_keys_are_those_of_numpy(keys):
    found = distinct_keys(np.array(keys, np.int64))
    expected = np.unique(np.array(keys, np.int64), return_inverse=True)
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]
