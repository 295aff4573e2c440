"""What a study is: a published figure or table, redone; what it shows, and which of the paper's statements
hold of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from crowdlog.reproduce.bench import Bench

Verdict = Literal["holds", "differs", "undecided"]
Cell = str | int | float | None  # None: not printed, or nothing to measure


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper about the shape of its result, decided by our numbers.

    `why` is shown where it does not hold. `votes`: whether it held with the noise of each seed.
    """

    text: str
    holds: bool
    why: str
    votes: Sequence[bool] = ()

    @property
    def verdict(self) -> Verdict:
        """Decided where all seeds agree: with five, chance alone would agree once in sixteen times."""
        votes = self.votes or (self.holds,)
        return "holds" if all(votes) else "undecided" if any(votes) else "differs"


@dataclass(frozen=True)
class Panel:
    """A table, with the printed values beside ours, and a plot of both as a Vega-Lite specification (see
    `plots`).
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    chart: Mapping[str, Any] | None = None
    note: str = ""


@dataclass(frozen=True)
class Result:
    """What a study found."""

    panels: Sequence[Panel]
    claims: Sequence[Claim]
    setup: str = ""  # one or two sentences: what the paper did, and what we do differently

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Result:
        return cls(
            [Panel(**panel) for panel in stored["panels"]],
            [Claim(**claim) for claim in stored["claims"]],
            stored["setup"],
        )


@dataclass(frozen=True)
class Study:
    """One figure or table of a paper.

    `name` is its spelling on the command line, `source` where it stands.
    """

    name: str
    source: str
    title: str
    run: Callable[[Bench], Result] = field(repr=False)
