"""Which keys may appear in a table before anything is decided by counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OfTheLog:
    """Keys that somebody in the log has: which ones is private."""


@dataclass(frozen=True)
class Pool:
    """Every text of a public list, asked or not; `others`: the log's further queries beside them."""

    file: str
    size: int
    others: bool = False


@dataclass(frozen=True)
class OfShown:
    """Keys of the log whose queries are shown in the table of queries already."""


@dataclass(frozen=True)
class PublicResults:
    """What a public file lists for queries that are shown already, clicked or not.

    `pool`: the list that queries come from, if any.
    """

    file: str
    pool: str | None = None


@dataclass(frozen=True)
class NamedBy:
    """Cells of a public grid: every combination of what the tables `by` show already, held or not. `others`:
    further keys of the log beside them.
    """

    by: str
    others: bool = False


@dataclass(frozen=True)
class PublicValues:
    """Every one of so many public values, whatever anybody did."""

    size: int


Candidates = OfTheLog | Pool | OfShown | PublicResults | NamedBy | PublicValues


@dataclass(frozen=True)
class Favours:
    """A public list whose queries a selection favours; others are worth `unknown` times as much.

    It names no key by itself.
    """

    file: str
    size: int
    unknown: float
