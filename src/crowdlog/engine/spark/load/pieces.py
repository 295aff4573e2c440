"""What tasks send each other during an import. Each piece of a file numbers its own users, queries and urls;
the numbers of the whole log come later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from crowdlog.engine.spark.load.packed_texts import PackedTexts, by_task
from crowdlog.log.columns import Texts
from crowdlog.log.encode import Dictionary
from crowdlog.log.pass1_encode import Parsed
from crowdlog.log.rejects import REASONS, SCRUBBED
from crowdlog.types import Ints

USER, QUERY, URL = ROLES = range(3)
NAMES = ("users", "queries", "urls")
Sent = tuple[int, Any]  # the task that a message is for, and the message


class PieceTexts(NamedTuple):
    """Distinct texts of one piece: their numbers there, where each first stood, and how many rows have it."""

    role: int
    piece: int
    numbers: Any
    texts: PackedTexts
    first: Ints
    rows: Ints


class PieceEvents(NamedTuple):
    """The rows of one piece in the order of reading, by the piece's own numbers; −1: no url."""

    piece: int
    columns: dict[str, Any]


class Reject(NamedTuple):
    """A row that could not be read, word for word."""

    order: int
    file: int
    span: int
    line: int
    reason: str
    raw: bytes


@dataclass
class Read:
    """What was read of one span: for counts, and to number the lines of its rejects."""

    share: int
    file: int
    span: int
    lines: int = 0
    rows: int = 0
    scrubbed: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)  # what the reader said

    def note(self, parsed: Parsed, where: int) -> Iterator[Sent]:
        """Count the rows of a batch, and hand on the bad ones."""
        self.rows += len(parsed.time)
        for i in np.flatnonzero(parsed.reason).tolist():
            code = int(parsed.reason[i])
            if code == SCRUBBED:
                self.scrubbed += 1
                continue
            self.rejected[REASONS[code]] += 1
            line, raw = int(parsed.batch.line[i]), parsed.batch.raw(i)
            yield self.share, Reject(where + i, self.file, self.span, line, REASONS[code], raw)


class Piece:
    """Gathers rows that follow each other. `number`: the place of the first; `share`: the task that keeps its
    events; `tasks`: how many share the texts.
    """

    def __init__(self, number: int, share: int, tasks: int) -> None:
        self.number, self._share, self._tasks = number, share, tasks
        self.rows = 0
        self._texts = [Dictionary() for _ in ROLES]
        self._firsts: list[list[Ints]] = [[] for _ in ROLES]
        self._columns: dict[str, list[Any]] = {name: [] for name in ("user", "query", "url", "rank", "time")}

    def take(self, parsed: Parsed, where: int) -> None:
        order = where + np.flatnonzero(parsed.reason == 0)
        if not len(order):
            return
        self.rows += len(order)
        columns: dict[str, Any] = {"time": parsed.time, "rank": parsed.rank.astype(np.int32)}
        for name, role, texts in (
            ("user", USER, parsed.users),
            ("query", QUERY, parsed.queries),
            ("url", URL, parsed.urls),
        ):
            columns[name] = self._encode(role, texts, order).astype(np.int32)
        for name, values in columns.items():
            self._columns[name].append(values)

    def _encode(self, role: int, texts: Texts, order: Ints) -> Ints:
        known = self._texts[role]
        before = len(known)
        ids = known.encode(texts)
        self._firsts[role].append(order[first_seen(ids, before)])
        return ids

    def handed_on(self) -> Iterator[Sent]:
        """The events to the share's own task, and each text to the one that numbers it."""
        if not self.rows:
            return
        columns = {name: np.concatenate(values) for name, values in self._columns.items()}
        yield self._share, PieceEvents(self.number, columns)
        for role, texts in enumerate(self._texts):
            first = np.concatenate([np.zeros(0, np.int64), *self._firsts[role]])
            rows = np.bincount(columns["user"], minlength=len(texts)) if role == USER else first[:0]
            for task, numbers, packed in by_task(texts, self._tasks):
                counted = rows[numbers] if role == USER else rows
                yield task, PieceTexts(role, self.number, numbers, packed, first[numbers], counted)


def first_seen(ids: Ints, before: int) -> Ints:
    """Where ids stand that were not known before. They are given in order of appearance: a new one is above
    all that came before it.
    """
    highest = np.maximum.accumulate(np.concatenate([[before - 1], ids]))
    return np.flatnonzero(ids > highest[:-1])
