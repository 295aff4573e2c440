"""What a service does beside its requests, and whether that goes well.

A task that fails is begun again: all of ours may be repeated. Until a round has gone well the service says
that it is not healthy. Of an error only the type is told: its message could quote what was sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.crowd.services.failing_workers import Sign

LOGGER = logging.getLogger(__name__)
_RESTART_SECONDS = 1.0


class Pulse:
    """How one task in the background does.

    `failures`: how often it failed since the start. `failing`: the last round did not go well.
    `folder`: where the other workers of the service see that, if it can have several.
    """

    def __init__(self, task: str, folder: Path | None = None) -> None:
        self.task, self.failures, self.failing = task, 0, False
        self._missed, self._sign = False, Sign(folder, task)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """A part of a round: that it fails is noted, and the rest of the round goes on."""
        try:
            yield
        except Exception as error:
            self._note(type(error).__name__)

    def beat(self) -> None:
        """A round has ended."""
        self.failing, self._missed = self._missed, False
        if not self.failing:
            self._sign.take_down()

    async def keep(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work until cancelled; begin again when it ends by itself, which it should not."""
        while True:
            with self.heard():
                await work()
                self._note("it ended")
            await asyncio.sleep(_RESTART_SECONDS)

    def _note(self, why: str) -> None:
        LOGGER.error("The task '%s' failed and is tried again: %s", self.task, why)
        self.failures += 1
        self.failing = self._missed = True
        self._sign.put_up()
