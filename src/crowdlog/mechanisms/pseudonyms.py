"""Pseudonyms: every row, with a random number in the place of a name (AOL 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.rows import publish_rows, read_rows, row_promise
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True, repr=False)
class Pseudonyms(Mechanism):
    """Publish every row, with a random number in the place of the user's name."""

    title: ClassVar[str] = "All rows, with random numbers in the place of names"
    example: ClassVar[str] = "Pseudonyms()"
    source: ClassVar[str] = "AOL 2006; broken by Barbaro and Zeller, New York Times, 9 August 2006"
    formula: ClassVar[str] = "user → random number, in every row"
    unsafe: ClassVar[bool] = True

    def promise(self) -> Promise:
        step = Step("Pseudonyms", "Publish every row as it is; a random number stands for the user.")
        return row_promise(
            step,
            "Everything a person searched for stands together: a few queries she is known for give away all "
            "others.",
        )

    def protect(self, log: LogStore, randomness: Randomness, **_options: Any) -> Protected:
        events = read_rows(log)
        return Protected(
            {"events": publish_rows(log, events, events["user"].to_numpy().astype(np.int64), randomness)}
        )
