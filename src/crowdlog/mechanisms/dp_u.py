"""DP_u: differentially private crowd logs by people (Feild 2013, §3.4 and appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.mechanisms.dp_crowd_log import DPCrowdLog
from crowdlog.privacy.published import PublishedThreshold, dp_u


@dataclass(frozen=True, repr=False)
class DPu(DPCrowdLog):
    """Select on different users."""

    title: ClassVar[str] = "Artifacts whose noisy number of users is high, with noisy counts"
    example: ClassVar[str] = "DPu(epsilon=2.3, delta=1e-6, d=5)"
    formula: ClassVar[str] = "show a if users(a) + DL(b) > K; publish impressions(a) + Z′"
    distinct: ClassVar[bool] = True

    def _as_published(self) -> PublishedThreshold:
        return dp_u(self.epsilon, self.delta, self.d)
