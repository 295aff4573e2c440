"""What the runner asks of an experiment and of its trials: both travel to worker processes as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field
from typing import Any, ClassVar, Protocol, TypeVar


class PlainTrial(Protocol):
    """A frozen dataclass of plain data for JSON. `str(trial)` is its name in messages."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __hash__(self) -> int: ...


AnyTrial = TypeVar("AnyTrial", bound=PlainTrial)


class Experiment(Protocol[AnyTrial]):
    """A dataclass of plain data for JSON, from which a worker can make it again."""

    @property
    def cache(self) -> str:
        """The folder of its results."""

    def runs(self) -> list[AnyTrial]:
        """All trials."""

    def missing(self, run: AnyTrial, /) -> Sequence[object]:
        """What is still to be measured of a trial."""
