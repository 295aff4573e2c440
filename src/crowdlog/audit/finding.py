"""What one audit found in one situation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """`measured` is compared with `claimed`; an alarm says that they cannot both be right."""

    audit: str  # its name: epsilon, delta, noise, selection, independence, replay, source
    where: str  # the situation
    claimed: float
    measured: float
    alarm: bool
    meaning: str  # one sentence for people
