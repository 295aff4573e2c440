"""Planted secrets: one user in every 200 searches for something that must never be published.

None belongs to anybody.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crowdlog.log.synth import language

EVERY = 200
KINDS = ("card", "email", "ssn", "phone", "address")


class Secret(NamedTuple):
    """What a user typed that names her."""

    user: int
    kind: str
    query: str


def luhn_digit(digits: str) -> int:
    """The check digit that makes digits + it a valid card number."""
    doubled = [int(d) * (2 - i % 2) for i, d in enumerate(reversed(digits))]
    return -sum(d // 10 + d % 10 for d in doubled) % 10


def _text(kind: str, draw: np.random.Generator) -> str:
    first, last = (
        names[int(draw.integers(300))] for names in (language.first_names()[0], language.last_names()[0])
    )
    n = [int(draw.integers(10**4)) for _ in range(3)]
    if kind == "card":  # 4000 00 is a range that card companies use for tests
        body = f"400000{n[0]:04d}{n[1]:04d}{n[2] % 10}"
        return f"{body}{luhn_digit(body)}"
    if kind == "email":  # example.com is reserved (RFC 2606)
        return f"{first}.{last}{n[0]}@example.com"
    if kind == "ssn":  # no social security number begins with 9
        return f"{first} {last} {900 + n[0] % 100}-{n[1] % 100:02d}-{n[2]:04d}"
    if kind == "phone":  # 555-01xx is reserved for fiction
        return f"{first} {last} {200 + n[0] % 800}-555-01{n[1] % 100:02d}"
    return f"{first} {last} {1 + n[0]} {language.last_names()[0][n[1] % 300]} street"


def planted(seed: int, first: int, end: int) -> list[Secret]:
    """The secrets of users first … end − 1 by user: one in each block of 200, of each kind in turn."""
    found = []
    for block in range(first // EVERY, (end - 1) // EVERY + 1):
        draw = np.random.default_rng([seed, block])
        user = block * EVERY + int(draw.integers(EVERY))
        if first <= user < end:
            kind = KINDS[block % len(KINDS)]
            found.append(Secret(user, kind, _text(kind, draw)))
    return found
