"""The same log without some people: the other world of a membership game."""

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
    """Logs that differ from a store's in who is missing, one at a time, in a folder of its own.

    Nobody's number changes.
    """

    def __init__(self, store: LogStore, folder: Path) -> None:
        self._events: Any = pq.read_table(store.events())
        self._user = self._events["user"].to_numpy()
        self._world = LogStore(folder, replace(store.info, files={}))
        for name in FILES:
            if name != "events.parquet":
                (folder / name).symlink_to((store.path / name).absolute())

    def __repr__(self) -> str:
        return f"LogWithout({len(self._user)} rows)"

    def without(self, users: Ints) -> LogStore:
        """The log without these people. It takes the place of the one before."""
        missing = np.zeros(self._world.info.users, bool)
        missing[users] = True
        pq.write_table(self._events.filter(pa.array(~missing[self._user])), self._world.events())
        return self._world
