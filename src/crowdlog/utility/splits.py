"""Test and training parts of a log. By user nobody is in both; by row, as the published studies did, most people are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from crowdlog.errors import InputError
from crowdlog.measure.draws import mix
from crowdlog.types import Bools

if TYPE_CHECKING:
    from crowdlog.measure.log_arrays import LogArrays

By = Literal["user", "row"]


def held_out_rows(events: LogArrays, *, folds: int, fold: int, by: By = "user", seed: int = 0) -> Bools:
    """Mark the rows of one fold. The clicks of one impression always stay together."""
    if folds < 2:
        raise InputError(f"The number of folds must be at least 2. Got {folds}.")
    if not 0 <= fold < folds:
        raise InputError(f"With {folds} folds the fold must be one of 0 to {folds - 1}. Got {fold}.")
    hashes = mix(events.user, seed)
    if by == "row":
        hashes = mix(events.query, mix(events.time, hashes))
    marked: Bools = hashes % np.uint64(folds) == np.uint64(fold)
    return marked
