"""How many people of a log are behind each key: counted by SQL over numbers alone, for checks that trust
nothing of what made a release.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from crowdlog.files.patterns import for_duckdb
from crowdlog.progress import progress_bar

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.types import Ints

_AT_ONCE = 100_000  # users: what each of them holds is in memory once


class HeldKeys:
    """Pairs (item, key): which keys each item of a log contains. A key may belong to many items; a pair may
    be added twice.
    """

    def __init__(self) -> None:
        self.item, self.key = array("i"), array("i")  # millions of them: tuples would take ten times as much

    def add(self, item: int, key: int) -> None:
        self.item.append(item)
        self.key.append(key)

    def people(self, log: LogStore, column: str, keys: int, title: str) -> Ints:
        """How many users have an event whose `column` is an item that holds each key."""
        import duckdb

        count = _COUNT.format(column=column)
        found, users = np.zeros(keys, np.int64), log.info.users
        held: Any = {"item": np.frombuffer(self.item, np.int32), "key": np.frombuffer(self.key, np.int32)}
        with (
            duckdb.connect(config={"temp_directory": ""}) as db,
            progress_bar(title, users, unit="users") as advance,
        ):
            db.execute("SET enable_progress_bar = false")
            db.from_parquet(for_duckdb(log.events()), hive_partitioning=False).create_view("events")
            db.register("held", pa.table(held))
            for first in range(0, users, _AT_ONCE):
                counted: Any = db.execute(count, [first, first + _AT_ONCE]).fetchnumpy()
                found[counted["key"]] += counted["people"]
                advance(min(_AT_ONCE, users - first))
        return found


_COUNT = """SELECT key, count(*) AS people FROM (
    SELECT DISTINCT "user", key FROM (SELECT DISTINCT "user", "{column}" AS item FROM events
                                      WHERE "user" >= ? AND "user" < ? AND "{column}" IS NOT NULL)
    JOIN held USING (item)) GROUP BY key"""
