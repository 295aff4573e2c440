"""Split sessions: every row, each session of a user under a pseudonym of its own (Adar 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import parameter
from crowdlog.mechanisms.rows import publish_rows, read_rows, row_promise
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True, repr=False)
class SplitSessions(Mechanism):
    """Publish every row, with a new random number for each session of a user."""

    title: ClassVar[str] = "All rows, each session of a user under a pseudonym of its own"
    example: ClassVar[str] = "SplitSessions()"
    source: ClassVar[str] = "Adar: User 4XXXXX9: anonymizing query logs, WWW 2007 workshop"
    formula: ClassVar[str] = "(user, session) → random number, in every row"
    unsafe: ClassVar[bool] = True

    session_minutes: int = parameter(
        "a longer pause starts a new session", default=SESSION_MINUTES, least=1, unit="minutes"
    )

    def promise(self) -> Promise:
        step = Step(
            "Split sessions",
            f"Publish every row; a pause of more than {self.session_minutes} minutes starts a new pseudonym.",
        )
        return row_promise(
            step, "One session can name a person, and rare queries or words connect sessions again."
        )

    def protect(self, log: LogStore, randomness: Randomness, **_options: Any) -> Protected:
        events = read_rows(log)
        user = events["user"].to_numpy()
        paused = events["impression"].to_numpy() & (
            events["gap"].fill_null(0).to_numpy() > 60 * self.session_minutes
        )
        starts = paused | (np.diff(user, prepend=-1) != 0)
        return Protected({"events": publish_rows(log, events, np.cumsum(starts) - 1, randomness)})
