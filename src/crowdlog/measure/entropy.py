"""Bits of people's profiles, and how many of them change (Erola 2013, §5.3.2.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.types import Floats


def loss_ratio(own: Any, shown: Any) -> float:
    """The mean of ILR over people."""
    ratios = loss_ratios(own, shown)
    return float(ratios.mean()) if len(ratios) else 0.0


def loss_ratios(own: Any, shown: Any) -> Floats:
    """ILR of each person with two different queries: |H(hers) − H(shown)|/H(hers), row by row."""
    mine = entropy(own)
    theirs = entropy(shown)
    some = mine > 1e-12
    return np.abs(mine - theirs)[some] / mine[some]


def entropy(counts: Any) -> Floats:
    """The bits of each row of counts."""
    rows = counts.shape[0]
    size = np.maximum(np.asarray(counts.sum(axis=1), float), 1)
    logs = counts.data * np.log2(counts.data)
    row = np.repeat(np.arange(rows), np.diff(counts.indptr))
    bits: Floats = np.log2(size) - np.bincount(row, logs, rows) / size
    return bits
