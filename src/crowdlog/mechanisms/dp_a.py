"""DP_a: differentially private crowd logs by impressions (Feild 2013, §3.4 and appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.mechanisms.dp_crowd_log import DPCrowdLog
from crowdlog.privacy.published import PublishedThreshold, dp_a


@dataclass(frozen=True, repr=False)
class DPa(DPCrowdLog):
    """Select on impressions."""

    title: ClassVar[str] = "Artifacts whose noisy number of impressions is high, with noisy counts"
    example: ClassVar[str] = "DPa(epsilon=2.3, delta=1e-6, d=5)"
    formula: ClassVar[str] = "show a if impressions(a) + DL(b) > K; publish impressions(a) + Z′"
    distinct: ClassVar[bool] = False

    def _as_published(self) -> PublishedThreshold:
        return dp_a(self.epsilon, self.delta, self.d)
