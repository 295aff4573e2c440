"""The grid of a comparison: mechanisms × seeds, each measured in the same ways; and where each result is kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# What is known of one trial: its label, then what it is good for, then what it gives away. (kind, name), for example ("attack", "linkage").
Measure = tuple[str, str]
LABEL: Measure = ("label", "label")
TOPICS: Measure = ("topics", "topics")


@dataclass(frozen=True)
class Cell:
    """One trial: a mechanism in its spelling, and the seed of its noise."""

    mechanism: str
    seed: int


@dataclass(frozen=True)
class Grid:
    """What is to be compared. A result is kept under a name made of all it depends on, so a second run finds it."""

    store: str
    source: str  # the store's id
    cache: str
    mechanisms: tuple[str, ...]
    seeds: int
    utility: tuple[str, ...]
    attacks: tuple[str, ...]
    topics: str | None = None  # a file of lines query TAB topic
    topics_hash: str = ""
    code: str = ""  # a digest of the source

    def cells(self) -> list[Cell]:
        """Seed by seed, so that a stopped run has seen every mechanism once before any twice."""
        return [Cell(mechanism, seed) for seed in range(1, self.seeds + 1) for mechanism in self.mechanisms]

    def measures(self) -> list[Measure]:
        wanted = [LABEL, *(("utility", name) for name in self.utility), *(("attack", name) for name in self.attacks)]
        return [*wanted, TOPICS] if self.topics else wanted

    def file(self, cell: Cell, measure: Measure) -> Path:
        """Where the result of one measure of one trial is kept."""
        topics = self.topics_hash if measure == TOPICS else ""
        known_by = json.dumps([self.code, self.source, cell.mechanism, cell.seed, *measure, topics])
        return Path(self.cache) / f"{hashlib.sha256(known_by.encode()).hexdigest()[:40]}.json"

    def missing(self, cell: Cell) -> list[Measure]:
        return [measure for measure in self.measures() if self.kept(cell, measure) is None]

    def keep(self, cell: Cell, measure: Measure, found: Mapping[str, Any]) -> None:
        """Write a result whole or not at all. Results hold numbers, never text of the log."""
        file = self.file(cell, measure)
        partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
        partial.write_text(json.dumps(asdict(cell) | {"measure": list(measure), **found}, ensure_ascii=False), encoding="utf-8")
        partial.replace(file)

    def kept(self, cell: Cell, measure: Measure) -> dict[str, Any] | None:
        """A result, or None where there is none. A file that a power cut left without its end is none."""
        try:
            found = json.loads(self.file(cell, measure).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) else None


def grid_of(fields: Mapping[str, Any]) -> Grid:
    """The grid that was written as JSON."""
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return Grid(**values)


def trial_folder(grid: Grid) -> Path:
    """Where this process holds the release it is measuring."""
    return Path(grid.cache) / f"trial-{os.getpid()}.partial"
