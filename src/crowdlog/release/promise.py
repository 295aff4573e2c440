"""What a mechanism says before it sees any data, and what it hands over after it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from crowdlog.privacy.guarantee import Guarantee

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

Setting = float | int | str


@dataclass(frozen=True)
class Step:
    """One step of a mechanism and what it costs."""

    name: str
    what: str
    epsilon: float = 0.0
    delta: float = 0.0


@dataclass(frozen=True)
class Promise:
    """Everything that can be said without looking at the log."""

    guarantee: Guarantee
    steps: tuple[Step, ...]
    settings: Mapping[str, Setting] = field(default_factory=dict)  # thresholds, noise scales, bounds
    counts: str = "impressions"  # what a published count counts: "impressions", "users", or "" when no counts are published
    assumptions: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()  # where the paper's claim is wrong or was changed
    unprotected: tuple[str, ...] = ()  # what the guarantee does not cover
    accounting: tuple[Mapping[str, Any], ...] = ()  # what tight composition needs of each step (privacy/accounting.py)
    proof: str = ""  # the page in proofs/
    as_published: Mapping[str, Setting] = field(default_factory=dict)  # the paper's own real-valued formulas at these parameters


@dataclass(frozen=True)
class Protected:
    """The tables to publish, by name. `notes` are facts about this run that cost no privacy (for example a noise scale)."""

    tables: Mapping[str, pa.Table]
    notes: Mapping[str, Setting] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Protected({', '.join(f'{name}: {table.num_rows} rows' for name, table in self.tables.items())})"


class Protects(Protocol):
    """What publishing needs to know of a mechanism."""

    def promise(self) -> Promise: ...

    def protect(self, log: LogStore, randomness: Randomness) -> Protected: ...

    def check_inputs(self) -> None:
        """Raise InputError when a file the mechanism needs cannot be read: before anything is charged."""
        ...
