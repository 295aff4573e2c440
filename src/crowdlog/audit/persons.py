"""Neighbours for the replay: one log of well-known keys, and persons who try to move more of it than they may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crowdlog.audit.laboratory import APART, TARGET, Acts

if TYPE_CHECKING:
    from crowdlog.audit.laboratory import Laboratory
    from crowdlog.log.store import LogStore

SHARED = (0, 1, 2)  # keys that the persons ask, too
BYSTANDERS = (3, 4)  # keys of a crowd that has nothing to do with any person
TIED = 5  # first of d + 1 keys that one crowd asks equally often: whoever looks at popularity must choose among them
OWN = 1000  # keys and pages from here on are known to the person alone
# Spellings that the light representation takes for one query.
SPELLINGS = tuple(f"{before}q0{after}" for before in ("", "www.") for after in (".com", ".net", ".org", ".edu", "?", "!", "-"))


@dataclass(frozen=True)
class Person:
    """What the one person does, in order: keys (−1, −2, … are SPELLINGS) and pages; and how many seconds lie between."""

    name: str
    keys: tuple[int, ...]
    pages: tuple[int, ...] | None = None
    apart: int = APART


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
        Person("asks everything in one session", (*SHARED, *range(TIED, TIED + d + 1), *range(OWN, OWN + d)) * 2, apart=60),
    )


def replayed_keys(d: int) -> NDArray[np.int64]:
    """The keys that crowds ask."""
    return np.array([*SHARED, *BYSTANDERS, *range(TIED, TIED + d + 1)])


def crowd_log(laboratory: Laboratory, crowd: int, d: int, queries: int, person: Person | None) -> LogStore:
    """`crowd` people for each shared and bystander key, and as many who ask all tied keys; and the person, last."""
    single = np.repeat(np.array([*SHARED, *BYSTANDERS]), crowd)
    tied = np.tile(np.arange(TIED, TIED + d + 1), crowd)
    users = np.concatenate([np.arange(len(single)), len(single) + np.repeat(np.arange(crowd), d + 1)])
    keys, second = np.concatenate([single, tied]), np.concatenate([np.zeros(len(single), np.int64), (tied - TIED) * APART])
    pages = keys
    if person is not None:
        hers = np.array(person.keys)
        users = np.concatenate([users, np.full(len(hers), TARGET)])
        pages = np.concatenate([pages, np.array(person.pages) if person.pages else np.maximum(hers, 0)])
        keys, second = np.concatenate([keys, hers]), np.concatenate([second, np.arange(len(hers)) * person.apart])
    acts = Acts(users, keys, second, np.zeros(len(users), np.bool_), pages)
    return laboratory.make(("replay", crowd, d, queries, person), acts, queries, SPELLINGS)
