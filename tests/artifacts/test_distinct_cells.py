"""Distinct cells against numpy's own, with and without bits."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.artifacts import distinct_cells as module
from crowdlog.artifacts.distinct_cells import distinct_cells


@pytest.mark.parametrize("most", [1 << 31, 0])
@pytest.mark.parametrize("cells", [1, 63, 64, 65, 5000])
def test_codes_are_numbered_in_rising_order(most, cells, monkeypatch):
    monkeypatch.setattr(module, "MOST", most)
    code = np.random.default_rng(cells).integers(-1, cells, 300)
    key, numbers = distinct_cells(code, cells)
    assert key.tolist() == sorted(set(code[code >= 0].tolist()))
    assert np.array_equal(numbers >= 0, code >= 0)
    assert np.array_equal(key[numbers[code >= 0]], code[code >= 0])


def test_no_codes_at_all():
    key, numbers = distinct_cells(np.zeros(0, np.int64), 0)
    assert len(key) == len(numbers) == 0
