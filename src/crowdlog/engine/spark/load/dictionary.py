"""The distinct texts of the whole log with their ids: in order of first appearance, as on one machine.

A text is numbered by two tasks. One, found by a hash, gets it from all pieces that have it, and knows where
it first stood; the other, found by that place, orders all texts that first stood in its share of the log. So
ids are places in that order, and no task sees more than its share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from crowdlog.engine.spark.load.packed_texts import PackedTexts, concatenated, ordered, packed
from crowdlog.engine.spark.load.pieces import ROLES, USER, PieceTexts, Read, Sent, first_seen
from crowdlog.log.encode import Dictionary
from crowdlog.types import Ints


class Holders(NamedTuple):
    """What a task must know later of a piece: the piece's numbers, and the task's own of the same texts."""

    role: int
    piece: int
    numbers: Any
    own: Any


class FirstSeen(NamedTuple):
    """Texts of one task that first stood in one share of the log, by rising places."""

    role: int
    task: int
    first: Ints
    texts: PackedTexts
    rows: Ints


class PieceSize(NamedTuple):
    """How many those are, for a step that needs no more."""

    role: int
    texts: int


class Numbered(NamedTuple):
    """The ids of such texts."""

    role: int
    share: int
    ids: Ints


class PieceIds(NamedTuple):
    """The ids of some texts of a piece, by its own numbers."""

    role: int
    piece: int
    numbers: Any
    ids: Ints


@dataclass(frozen=True)
class TextSteps:
    """`firsts[s]`: the first place of share s of the log."""

    firsts: Ints

    def share_of(self, where: Any) -> Any:
        return np.searchsorted(self.firsts, where, side="right") - 1

    def distinct(self, task: int, messages: Iterable[Sent]) -> Iterator[Sent]:
        """The first task: texts are told apart. What it needs again it sends to itself."""
        by_role: list[list[PieceTexts]] = [[] for _ in ROLES]
        for _task, message in messages:
            if isinstance(message, PieceTexts):
                by_role[message.role].append(message)
            elif isinstance(message, Read):
                yield task, message
        for role, found in enumerate(by_role):
            known, firsts, rows = Dictionary(), [np.zeros(0, np.int64)], np.zeros(0, np.int64)
            # Messages come in any order; the places of the pieces fix it.
            for piece in sorted(found, key=lambda each: each.piece):
                before = len(known)
                own = known.encode(piece.texts.as_texts())
                firsts.append(piece.first[first_seen(own, before)])
                if role == USER:
                    rows = np.append(rows, np.zeros(len(known) - before, np.int64))
                    rows[own] += piece.rows
                yield task, Holders(role, piece.piece, piece.numbers, own.astype(np.int32))
            yield from self._to_shares(task, role, packed(known), np.concatenate(firsts), rows)

    def _to_shares(self, task: int, role: int, texts: PackedTexts, first: Ints, rows: Ints) -> Iterator[Sent]:
        share = self.share_of(first)  # pieces were taken in order, so places rise
        starts = np.append(texts.starts, len(texts.data))
        found, begins = np.unique(share, return_index=True)
        for number, low, high in zip(found, begins, np.append(begins, len(first))[1:], strict=True):
            mine = PackedTexts(texts.data[starts[low] : starts[high]], texts.size[low:high])
            counted = rows[low:high] if role == USER else rows
            yield int(number), FirstSeen(role, task, first[low:high], mine, counted)
            yield int(number), PieceSize(role, int(high - low))

    def mapped(self, messages: Iterable[Sent]) -> Iterator[Sent]:
        """The first task again: every piece is told the ids of its texts."""
        ids: list[dict[int, Ints]] = [{} for _ in ROLES]
        holders: list[Holders] = []
        for _task, message in messages:
            if isinstance(message, Numbered):
                ids[message.role][message.share] = message.ids
            else:
                holders.append(message)
        tables = [
            np.concatenate([np.zeros(0, np.int64), *(each[share] for share in sorted(each))]) for each in ids
        ]
        for held in holders:
            mapping = PieceIds(held.role, held.piece, held.numbers, tables[held.role][held.own])
            yield int(self.share_of(held.piece)), mapping


@dataclass(frozen=True)
class OrderedTexts:
    """The texts of one role that first stood in one share: the second task. Ids are from `base` on."""

    found: list[FirstSeen]
    base: int = 0

    def __len__(self) -> int:
        return sum(len(each.first) for each in self.found)

    @cached_property
    def _order(self) -> Ints:
        first = np.concatenate([np.zeros(0, np.int64), *(each.first for each in self.found)])
        return np.argsort(first, kind="stable")

    def texts(self) -> PackedTexts:
        """By rising ids."""
        return ordered(concatenated([each.texts for each in self.found]), self._order)

    def rows(self) -> Ints:
        """How many rows each user has, by rising ids."""
        rows = np.concatenate([np.zeros(0, np.int64), *(each.rows for each in self.found)])
        return rows[self._order]

    def numbered(self, role: int, share: int) -> Iterator[Sent]:
        order = self._order
        ids = np.empty(len(order), np.int64)
        ids[order] = self.base + np.arange(len(order))
        low = 0
        for each in self.found:
            yield each.task, Numbered(role, share, ids[low : low + len(each.first)])
            low += len(each.first)


def texts_of_share(messages: Iterable[FirstSeen]) -> list[list[FirstSeen]]:
    """The texts of each role that first stood here."""
    texts: list[list[FirstSeen]] = [[] for _ in ROLES]
    for message in messages:
        texts[message.role].append(message)
    return [sorted(found, key=lambda each: each.task) for found in texts]
