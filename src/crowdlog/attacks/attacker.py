"""What the attacker brings along: randomness, and what is known from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crowdlog.log.store import LogStore
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.privacy.randomness import Randomness, SystemRandomness


@dataclass(frozen=True)
class Attacker:
    """`auxiliary`: another log. `mapping`: a file of lines query TAB category.

    `secrets`: a file of lines user TAB kind TAB query. `tree`: of categories, for attacks by interests.
    `labels`: a file of lines query TAB topic TAB sensitive.
    """

    randomness: Randomness = field(default_factory=SystemRandomness)
    auxiliary: LogStore | None = None
    mapping: Path | None = None
    secrets: Path | None = None
    tree: str = WORDNET
    labels: Path | None = None

    def rng(self) -> np.random.Generator:
        """A fast generator for samples and intervals, seeded from the randomness. It protects nobody."""
        return np.random.default_rng(int.from_bytes(self.randomness.bytes(16), "big"))
