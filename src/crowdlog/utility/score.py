"""One number about a release, with what is needed to read it right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Score:
    """A measured value.

    `value` is None when there was nothing to measure; `evaluated` says on how much it rests.
    """

    name: str
    value: float | None
    evaluated: int
    interval: tuple[float, float] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def share(part: float, whole: float) -> float | None:
    """part/whole, or None when there is no whole."""
    return float(part) / float(whole) if whole else None
