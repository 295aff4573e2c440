"""FT_u: artifacts of at least k different people (Feild 2013, §3.4.1.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.mechanisms.frequency_threshold import FrequencyThreshold
from crowdlog.plan.bounds import Counts


@dataclass(frozen=True, repr=False)
class FTu(FrequencyThreshold):
    """Publish an artifact that at least k different users have, with its impressions."""

    title: ClassVar[str] = "Artifacts of at least k different users, with exact counts"
    example: ClassVar[str] = "FTu(k=20)"
    formula: ClassVar[str] = "publish impressions(a) where users(a) ≥ k"
    on: ClassVar[Counts] = "users"
