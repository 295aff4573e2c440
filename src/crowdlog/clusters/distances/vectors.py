"""Users by a caller's vectors, such as embeddings: Euclidean distance on a grid, so that it is exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.clusters.distances.base import UNIT, Distance
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.types import Floats, Ints

_GRID = 1 << 20  # parts of the largest coordinate; squares of up to 2¹⁰ coordinates stay below 2⁵³


class VectorDistance(Distance):
    """The largest possible distance, of opposite corners, is UNIT."""

    def __init__(self, vectors: Floats) -> None:
        largest = float(np.abs(vectors).max(initial=0.0))
        if not np.isfinite(largest):
            raise InputError("The vectors of users must be finite numbers.")
        self._set(np.rint(vectors * (_GRID / largest if largest else 0.0)).astype(np.int64))

    def _set(self, grid: Ints) -> None:
        self._grid, self.users = grid, len(grid)
        self._corner = max(2 * _GRID * float(np.sqrt(grid.shape[1])), 1.0)

    def part(self, users: Ints) -> VectorDistance:
        same = VectorDistance.__new__(VectorDistance)
        same._set(self._grid[users])
        return same

    def row(self, user: int, others: Ints) -> Ints:
        difference = self._grid[others] - self._grid[user]
        # Whole numbers below 2⁵³ and one root, which IEEE 754 rounds the same everywhere.
        length = np.sqrt((difference * difference).sum(axis=1).astype(np.float64))
        found: Ints = np.floor(length * (UNIT / self._corner)).astype(np.int64)
        return found


def read_vectors(path: str | Path, log: LogStore) -> Floats:
    """A file of lines user TAB number TAB number …, one for every user of the log, in any order."""
    import pyarrow.parquet as pq

    names = pq.read_table(log.users(), columns=["text"])["text"].to_pylist()
    number = {name: i for i, name in enumerate(names)}
    found: dict[int, Any] = {}
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"The vectors of users {path} cannot be read as UTF-8 text.") from None
    width = 0
    for at, line in enumerate(lines, 1):
        user, *cells = line.split("\t")
        try:
            vector = [float(cell) for cell in cells]
        except ValueError:
            vector = []
        width = width or len(vector)
        if not vector or len(vector) != width or not np.isfinite(vector).all():
            raise InputError(
                f"The vectors of users {path} cannot be used: line {at} is not a user and {width or 'some'} "
                "numbers."
            )
        if user in number:
            found[number[user]] = vector
    if len(found) < len(names):
        raise InputError(
            f"The vectors of users {path} name {len(found):,} of the {len(names):,} users of the log. "
            "Give one for each."
        )
    return np.array([found[i] for i in range(len(names))], np.float64)
