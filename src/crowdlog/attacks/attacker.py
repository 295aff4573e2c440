"""What the attacker brings along: randomness, and what is known from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness, SystemRandomness

if TYPE_CHECKING:
    from crowdlog.attacks.result import AttackResult
    from crowdlog.attacks.seen import Seen
    from crowdlog.attacks.truth import Truth
    from crowdlog.log.store import LogStore


@dataclass(frozen=True)
class Attacker:
    """`auxiliary`: another log. `mapping`: a file of lines query TAB category. `secrets`: a file of lines user TAB kind TAB query."""

    randomness: Randomness = field(default_factory=SystemRandomness)
    auxiliary: LogStore | None = None
    mapping: Path | None = None
    secrets: Path | None = None

    def rng(self) -> np.random.Generator:
        """A fast generator for samples and intervals, seeded from the randomness. It protects nobody."""
        return np.random.default_rng(int.from_bytes(self.randomness.bytes(16), "big"))


Attack = Callable[["Seen", "Truth", Attacker], "AttackResult"]


def read_lines(path: Path, columns: int, what: str) -> list[list[str]]:
    """The lines of a tab-separated file. Errors name the line, never its text."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The {what} {path} cannot be read: it is not UTF-8 text.") from None
    rows = [line.split("\t") for line in lines]
    bad = next((number for number, row in enumerate(rows, 1) if len(row) != columns), None)
    if bad is not None:
        raise InputError(f"Line {bad} of the {what} {path} has {len(rows[bad - 1])} columns instead of {columns}, separated by tabs.")
    if not rows:
        raise InputError(f"The {what} {path} is empty.")
    return rows
