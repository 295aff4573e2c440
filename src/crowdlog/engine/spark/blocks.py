"""Users in blocks, one for each task. The store's rows lie by user, so a block is some of its row groups, and
no row moves to be with the others of its user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.log.parts import Place, opened_part, part_files
from crowdlog.privacy.histories import Histories
from crowdlog.types import Bools, Ints

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class StoreBlock:
    """All rows of some users: row groups of files. `users`: the first and the last of them; no other rows of
    these files are theirs.
    """

    groups: tuple[tuple[Place, tuple[int, ...]], ...]
    users: tuple[int, int]

    def files_here(self) -> list[Path] | None:
        """The files, if this machine sees them all: not those at an address."""
        files = [path for path, _groups in self.groups if isinstance(path, Path)]
        return files if len(files) == len(self.groups) else None

    def read(self, columns: Sequence[str]) -> pa.Table:
        tables = []
        for path, groups in self.groups:
            with opened_part(path) as file:
                tables.append(file.read_row_groups(list(groups), list(columns), use_threads=False))
        return pa.concat_tables(tables)


def store_blocks(events: Place, rows: int) -> list[StoreBlock]:
    """Blocks of at least so many rows, cut between two users. Only the files' own notes are read."""
    blocks: list[StoreBlock] = []
    groups: list[tuple[Place, int]] = []
    size, first, last = 0, 0, -1
    for path in part_files(events):
        with opened_part(path) as file:
            column = file.schema_arrow.get_field_index("user")
            for number in range(file.metadata.num_row_groups):
                group = file.metadata.row_group(number)
                users: Any = group.column(column).statistics
                if size >= rows and users.min > last:
                    blocks.append(_block(groups, (first, last)))
                    groups, size = [], 0
                if not groups:
                    first = users.min
                groups.append((path, number))
                size, last = size + group.num_rows, users.max
    return [*blocks, _block(groups, (first, last))]


def _block(groups: list[tuple[Place, int]], users: tuple[int, int]) -> StoreBlock:
    paths = dict.fromkeys(path for path, _number in groups)
    return StoreBlock(
        tuple((path, tuple(number for one, number in groups if one == path)) for path in paths), users
    )


@dataclass(frozen=True)
class UserBlock:
    """`users[u]` is who user u is in the log; `keys[i]` which key item i is. `sizes`: of each user in the
    whole release; `inside[i]`: whether item i is on the list that the selection favours.
    """

    users: Ints
    keys: Ints
    histories: Histories
    sizes: Ints
    inside: Bools

    def only(self, kept: Ints) -> UserBlock:
        """With these keys alone, which rise."""
        items = np.flatnonzero(np.isin(self.keys, kept, assume_unique=True))
        return UserBlock(
            self.users, self.keys[items], self.histories.only(items), self.sizes, self.inside[items]
        )


def user_block(rows: pa.Table) -> UserBlock:
    """From user, key and, where the plan asks for them, size and inside."""
    users, user = _numbered(rows["user"].to_numpy())
    keys, item = np.unique(rows["key"].to_numpy().astype(np.int64, copy=False), return_inverse=True)
    sizes, inside = np.zeros(len(users), np.int64), np.ones(len(keys), bool)
    if "size" in rows.column_names:
        sizes[user] = rows["size"].to_numpy()
    if "inside" in rows.column_names:
        inside[item] = rows["inside"].to_numpy()
    return UserBlock(users, keys, Histories.from_rows(user, item, len(keys)), sizes, inside)


def _numbered(users: Any) -> tuple[Ints, Ints]:
    """np.unique, faster where the rows lie by user already."""
    users = users.astype(np.int64, copy=False)
    if (users[1:] >= users[:-1]).all():
        new = np.append(np.ones(min(1, len(users)), bool), users[1:] != users[:-1])
        return users[new], np.cumsum(new) - 1
    found, number = np.unique(users, return_inverse=True)
    return found, number


def blocks_of_frame(frame: Any, parts: int) -> Any:
    """A data frame of user, key and more as blocks of users: for rows that texts were joined to."""
    import pickle

    def run(batches: Batches) -> Batches:
        found = list(batches)
        table = pa.Table.from_batches(found) if found else None
        data = pickle.dumps(None if table is None or not table.num_rows else user_block(table))
        yield pa.record_batch({"block": pa.array([data], pa.binary())})

    made = frame.repartition(parts, "user").mapInArrow(run, "block binary")
    return made.rdd.mapPartitions(partial(_unpickled, pickle.loads)).filter(_there)


def _unpickled(load: Any, rows: Iterator[Any]) -> Iterator[UserBlock | None]:
    for row in rows:
        yield load(bytes(row["block"]))


def _there(block: UserBlock | None) -> bool:
    return block is not None
