"""Neighbouring logs: a store's log without some people, for the game of whether a person was in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.log.store import FILES, LogStore
from crowdlog.types import Ints


class LogWithout:
    """Writes a copy of a store without some people into a folder, and replaces it by the next when asked.

    Nobody's number changes.
    """

    def __init__(self, store: LogStore, folder: Path) -> None:
        self._events: Any = pq.read_table(store.events())
        self._user = self._events["user"].to_numpy()
        self._world = LogStore(folder, replace(store.info, files={}, tables=None))
        for name in FILES:
            if name != "events.parquet":
                (folder / name).symlink_to(store.here(name).absolute())

    def __repr__(self) -> str:
        return f"LogWithout({len(self._user)} rows)"

    def without(self, users: Ints) -> LogStore:
        """The log without these people. It takes the place of the one before."""
        missing = np.zeros(self._world.info.users, bool)
        missing[users] = True
        pq.write_table(self._events.filter(pa.array(~missing[self._user])), self._world.events())
        return self._world
