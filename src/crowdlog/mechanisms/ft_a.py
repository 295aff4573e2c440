"""FT_a: artifacts with at least k impressions (Feild 2013, §3.4.1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.mechanisms.frequency_threshold import FrequencyThreshold
from crowdlog.plan.bounds import Counts


@dataclass(frozen=True, repr=False)
class FTa(FrequencyThreshold):
    """Publish an artifact with at least k impressions."""

    title: ClassVar[str] = "Artifacts with at least k impressions, with exact counts"
    example: ClassVar[str] = "FTa(k=20)"
    formula: ClassVar[str] = "publish impressions(a) where impressions(a) ≥ k"
    collected_counts: ClassVar[tuple[Counts, ...]] = ("impressions",)
    on: ClassVar[Counts] = "impressions"
