"""Neighbours for the replay: one log of well-known keys, and persons who try to move more of it than they
may.

Some people of the crowd do much in one session: more than counts, and several pairs end in one row. Which of
it counts must be theirs to decide. The person's rows lie in the middle of the log, so that she changes the
numbers of queries and pages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.kinds import WINDOW
from crowdlog.audit.synthetic_logs import APART, TARGET, Acts

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
    from crowdlog.log.store import LogStore

SHARED = (0, 1, 2)  # keys that the persons ask, too
BYSTANDERS = (3, 4)  # keys of a crowd that has nothing to do with any person
# first of d + 1 keys that one crowd asks equally often: whoever looks at popularity must choose among them
TIED = 5
SITTING = (100, 200, 300)  # first keys of crowds that do much in one session
SITTERS = 300  # people of such a crowd at least: enough for an engine to take their rows in another order
OWN = 1000  # keys and pages from here on are known to the person alone
# Spellings that the light representation takes for one query.
SPELLINGS = tuple(
    f"{before}q0{after}"
    for before in ("", "www.")
    for after in (".com", ".net", ".org", ".edu", "?", "!", "-")
)
ALONE = tuple(f"w{400 + i}" for i in range(10))  # queries that are asked without a second one in a row

Place = Literal["last", "middle", "shuffled"]


@dataclass(frozen=True)
class Asked:
    """How many queries in a row are asked for one key, and how often each repeats its word."""

    queries: int
    words: int


@dataclass(frozen=True)
class Person:
    """What the one person does, in order: keys (−1, −2, … are SPELLINGS) and pages; and how many seconds lie
    between. `people`: so many do the same.
    """

    name: str
    keys: tuple[int, ...]
    pages: tuple[int, ...] | None = None
    apart: int = APART
    people: int = 1


def persons(d: int) -> tuple[Person, ...]:
    """Ways to ask too much."""
    tied = tuple(range(TIED, TIED + d + 1))
    return (
        Person("repeats one key", (0,) * (5 * d + 50)),
        Person("asks everything three times", (*SHARED, *tied, *range(OWN, OWN + d)) * 3),
        Person("asks one key of equally popular ones", (tied[-1],)),
        Person("asks what nobody else asks", tuple(range(OWN, OWN + 3 * d + 10))),
        Person("repeats a key nobody else asks", (OWN,) * (5 * d + 50)),
        Person("spells one key in many ways", tuple(-1 - i for i in range(len(SPELLINGS)))),
        Person("clicks a page of her own", (0,) * d, tuple(range(OWN, OWN + d))),
    )


def sitting_persons(d: int) -> tuple[Person, ...]:
    """Ways to do too much in one session."""
    return (
        Person("repeats one key in one session", (0,) * (d + 10), apart=60),
        Person("repeats in one session what others repeat", (SITTING[1],) * (d + 10), apart=60),
        Person(
            "asks everything in one session",
            (*SHARED, *range(TIED, TIED + d + 1), *range(OWN, OWN + d)) * 2,
            apart=60,
        ),
    )


def backwards(d: int, queries: int) -> Person:
    """A person who asks what the sitting crowds ask, last things first: whoever orders by numbers of keys is
    misled.
    """
    keys = dict.fromkeys(key for acts in _sessions(d, queries) for key, _second in reversed(acts) if key >= 0)
    return Person("asks what others ask, the other way round", tuple(keys))


def everything(d: int, queries: int, people: int) -> Person:
    """People who ask whatever any crowd asks: many, so that what each of them moves can be told from counts
    in whole numbers.
    """
    keys = replayed_keys(d, queries)
    known = tuple(int(key) for key in keys if key not in BYSTANDERS)
    return Person("asks whatever others ask", known, people=people)


def replayed_keys(d: int, queries: int) -> NDArray[np.int64]:
    """The keys that crowds ask."""
    sitting = {key for acts in _sessions(d, queries) for key, _second in acts if key >= 0}
    return np.array([*SHARED, *BYSTANDERS, *range(TIED, TIED + d + 1), *sorted(sitting)])


def _sessions(d: int, queries: int) -> list[list[tuple[int, int]]]:
    """What the sitting crowds do: (key, second).

    Each offers more than d artifacts, and for every d > 1 one of them ties at the d-th.

    Pairs that end in one row tie where only rows order them: after 1, 3, 6, … pairs of different queries,
    after 1, 2, 4, 7, … when the first query is asked twice or stands in a session of its own. Where sessions
    do not matter and pairs have no direction, it must be pushed out of the window by repeats of the second.
    """
    size = d + 2 if queries == 1 else max(3, math.isqrt(d) + 2)
    plain, repeated, split = ([first + i for i in range(size)] for first in SITTING)
    repeated.insert(1, repeated[0])
    alone = [-1 - len(SPELLINGS) - i for i in range(len(ALONE))]
    pushed = [alone[0], *[alone[1]] * WINDOW, *alone[2:]]
    return [
        *([[(key, 60 * place) for place, key in enumerate(pushed)]] if queries == 2 else []),
        [(key, 60 * place) for place, key in enumerate(plain)],
        [(key, 60 * place) for place, key in enumerate(repeated)],
        [(key, 60 * place + (APART if place else 0)) for place, key in enumerate(split)],
    ]


@dataclass(frozen=True)
class _Rows:
    """Parallel columns of acts."""

    user: NDArray[np.int64]
    key: NDArray[np.int64]
    second: NDArray[np.int64]
    page: NDArray[np.int64]


def crowd_log(
    logs: SyntheticLogs,
    crowd: int,
    d: int,
    asked: Asked,
    person: Person | None,
    place: Place = "last",
) -> LogStore:
    """The crowds and the person.

    `place`: her rows come last, or after the first row of everybody else; or all rows lie in another order.
    """
    parts = [_single_keys(crowd), *_sitting(crowd, d, asked.queries)]
    crowds = _joined(_numbered(parts))
    rows = crowds if person is None else _placed(crowds, _of(person), place)
    if place == "shuffled":
        rows = _taken(rows, np.random.default_rng(0).permutation(len(rows.user)))
    acts = Acts(rows.user, rows.key, rows.second, np.zeros(len(rows.user), np.bool_), rows.page)
    name = ("replay", crowd, d, asked, person, place)
    return logs.make(name, acts, asked.queries, SPELLINGS + ALONE, asked.words)


def _single_keys(crowd: int) -> _Rows:
    """`crowd` people for each shared and bystander key."""
    keys = np.repeat(np.array([*SHARED, *BYSTANDERS]), crowd)
    return _Rows(np.arange(len(keys)), keys, np.zeros(len(keys), np.int64), keys)


def _sitting(crowd: int, d: int, queries: int) -> list[_Rows]:
    """The sitting crowds, and as many people who ask all tied keys, each in a session of its own."""
    tied = [(TIED + i, i * APART) for i in range(d + 1)]
    people = max(SITTERS, 4 * crowd)  # who does much gives little weight to each of it
    found = []
    for acts in (tied, *_sessions(d, queries)):
        keys, seconds = (np.tile(np.array(column), people) for column in zip(*acts, strict=True))
        found.append(_Rows(np.repeat(np.arange(people), len(acts)), keys, seconds, keys))
    return found


def _of(person: Person) -> _Rows:
    keys = np.tile(person.keys, person.people)
    pages = np.tile(person.pages, person.people) if person.pages else np.maximum(keys, 0)
    who = np.repeat(np.arange(person.people), len(person.keys))
    second = np.tile(np.arange(len(person.keys)) * person.apart, person.people)
    return _Rows(TARGET + who, keys, second, pages)


def _placed(crowds: _Rows, hers: _Rows, place: Place) -> _Rows:
    """In the middle she changes nobody's number but those of keys: all others were read before her."""
    if place == "last":
        return _joined([crowds, hers])
    opening = np.diff(crowds.user, prepend=-1) != 0
    return _joined([_taken(crowds, np.flatnonzero(opening)), hers, _taken(crowds, np.flatnonzero(~opening))])


def _numbered(parts: list[_Rows]) -> list[_Rows]:
    """With users numbered on from part to part."""
    shifts = np.cumsum([0, *(part.user.max(initial=-1) + 1 for part in parts[:-1])])
    return [replace(part, user=part.user + shift) for part, shift in zip(parts, shifts, strict=True)]


def _joined(parts: list[_Rows]) -> _Rows:
    return _Rows(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("user", "key", "second", "page")
        )
    )


def _taken(rows: _Rows, places: NDArray[np.int64]) -> _Rows:
    return _Rows(rows.user[places], rows.key[places], rows.second[places], rows.page[places])
