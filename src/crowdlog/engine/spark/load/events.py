"""Events of the whole log: pieces get the ids of the log, go to ranges of users, and are sorted and derived
there by the code of one machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from crowdlog.engine.spark.load.dictionary import PieceIds
from crowdlog.engine.spark.load.pieces import QUERY, URL, USER, PieceEvents, Sent
from crowdlog.log.sort_events import derive, sort_events
from crowdlog.types import Ints

_ROLES = {"user": USER, "query": QUERY, "url": URL}
FINE = 64  # counts of rows by user for each range of users, from which ranges are made


class RangeEvents(NamedTuple):
    """Rows of one piece that belong to one range of users, by the ids of the log."""

    piece: int
    columns: dict[str, Any]


@dataclass(frozen=True)
class Ranges:
    """Users `first_user[r]` and on are in range r, whose first row is `first_row[r]`."""

    first_user: Ints
    first_row: Ints

    def __len__(self) -> int:
        return len(self.first_user)


def make_ranges(rows: Ints, width: int, most: int) -> Ranges:
    """Ranges of about `most` rows. `rows[i]`: of the users width · i and on."""
    ends = np.cumsum(rows)
    number = (ends - rows) // most  # the range that a group of users would be in
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    return Ranges(first * width, (ends - rows)[first])


def renumbered(events: Iterable[PieceEvents], mapping: Iterable[PieceIds], ranges: Ranges) -> Iterator[Sent]:
    """The events of a share's pieces, for each range of users."""
    known: dict[tuple[int, int], list[PieceIds]] = {}
    for each in mapping:
        known.setdefault((each.piece, each.role), []).append(each)
    for piece in events:
        columns = dict(piece.columns)
        for name, role in _ROLES.items():
            # −1, no url, is the last entry.
            columns[name] = np.append(_table(known.get((piece.piece, role), [])), -1)[columns[name]]
        yield from _by_range(piece.piece, columns, ranges)


def _table(mapping: list[PieceIds]) -> Ints:
    """The id of each number of the piece."""
    table = np.empty(sum(len(each.ids) for each in mapping), np.int64)
    for each in mapping:
        table[each.numbers] = each.ids
    return table


def _by_range(piece: int, columns: dict[str, Any], ranges: Ranges) -> Iterator[Sent]:
    number = np.searchsorted(ranges.first_user, columns["user"], side="right") - 1
    if (number[1:] >= number[:-1]).all():  # a log of one user after the other: nothing moves
        rows: Any = None
    else:
        rows = np.argsort(number, kind="stable")
        number = number[rows]
    found, begins = np.unique(number, return_index=True)
    for which, low, high in zip(found, begins, np.append(begins, len(number))[1:], strict=True):
        mine = slice(low, high) if rows is None else rows[low:high]
        yield int(which), RangeEvents(piece, {name: values[mine] for name, values in columns.items()})


def whole_range(messages: Iterable[Sent], *, merge_next_page: bool) -> dict[str, Any] | None:
    """The events of one range, sorted by user, time and order of reading, with their derived columns."""
    found = sorted((message for _range, message in messages), key=lambda each: each.piece)
    if not found:
        return None
    names = found[0].columns
    events = {name: np.concatenate([each.columns[name] for each in found]) for name in names}
    return derive(sort_events(events), merge_next_page=merge_next_page)
