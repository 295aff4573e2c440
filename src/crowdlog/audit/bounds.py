"""Exact confidence bounds of a probability from counted successes (Clopper and Pearson 1934)."""

from __future__ import annotations

from crowdlog.measure.intervals import lower_bound as lower
from crowdlog.measure.intervals import upper_bound as upper

__all__ = ["lower", "upper"]
