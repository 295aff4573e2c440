"""Many showings of credentials checked together.

Every equation of every showing is multiplied by a random number of 128 bits that nobody else knows, and all
are added up: one sum of points, which is the identity when all equations hold, and otherwise with probability
2^-128 (proofs/crowdlogging.md). A sum that is not is halved until the showings at fault are found; each of
them is judged by `shown`, so a batch never decides otherwise than one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from crowdlog.crowd.crypto.credential import (
    SHOWN_SIZE,
    IssuerKey,
    Named,
    pseudonym_base,
    show_challenge,
    show_factors,
    show_statement,
    shown,
)
from crowdlog.crowd.crypto.group import ORDER, SIZE, ReportError, decode_scalar
from crowdlog.privacy.randomness import Randomness

_WEIGHT = 16  # bytes of a random factor
_FEW = 4  # below this many, one by one is as fast


class PointSum(NamedTuple):
    """Scalars and points whose sum must be the identity. Bases, which many showings share, stand apart."""

    scalars: list[int]
    points: bytes
    base_scalars: list[int]
    bases: list[bytes]


@dataclass(frozen=True)
class Showing:
    """What `shown` is asked: the bytes of a showing, the pseudonyms it is for, and its message."""

    data: bytes = field(repr=False)
    named: Named = field(repr=False)
    message: bytes = field(repr=False)

    def holds(self, key: IssuerKey) -> bool:
        return shown(key, self.data, self.named, self.message)


def shown_all(key: IssuerKey, showings: Sequence[Showing], randomness: Randomness) -> list[bool]:
    """What `shown` says of each showing."""
    verdicts = [False] * len(showings)
    well_formed: list[tuple[int, PointSum]] = []
    for number, one in enumerate(showings):
        terms = _terms(key, one, randomness)
        if terms is not None:
            well_formed.append((number, terms))
    waiting = [well_formed]
    while waiting:
        part = waiting.pop()
        if len(part) < _FEW:
            for number, _terms_of_one in part:
                verdicts[number] = showings[number].holds(key)
        elif _balanced([terms for _number, terms in part]):
            for number, _terms_of_one in part:
                verdicts[number] = True
        else:
            half = len(part) // 2
            waiting += [part[:half], part[half:]]
    return verdicts


def _balanced(parts: Sequence[PointSum]) -> bool:
    """Whether all terms together are the identity; a base that many share is taken once."""
    from crowdlog.crowd.crypto.multiscalar import sums_to_identity  # brings the compiler; clients need none

    summed: dict[bytes, int] = {}
    scalars: list[int] = []
    for part in parts:
        scalars += part.scalars
        for scalar, base in zip(part.base_scalars, part.bases, strict=True):
            summed[base] = summed.get(base, 0) + scalar
    scalars += summed.values()
    points = b"".join([*(part.points for part in parts), *summed])
    return sums_to_identity([scalar % ORDER for scalar in scalars], points) is True


def _terms(key: IssuerKey, one: Showing, randomness: Randomness) -> PointSum | None:
    """The two equations of a showing, each times a random number; none if its form is wrong."""
    if len(one.data) != SHOWN_SIZE or any(len(name) != SIZE for _, name in one.named):
        return None
    try:
        response = decode_scalar(one.data[-SIZE:])
    except ReportError:
        return None
    statement = show_statement(one.data[:SIZE], one.data[SIZE : 2 * SIZE], one.named)
    challenge = show_challenge(statement, one.data[2 * SIZE : -SIZE], one.message)
    drawn = randomness.bytes(2 * _WEIGHT)
    first, second = int.from_bytes(drawn[:_WEIGHT], "little"), int.from_bytes(drawn[_WEIGHT:], "little")
    # challenge·W + response·U − commitment with W = (U' − x0·U)/x1, and challenge·Σ names + response·Σ bases
    # − commitment, both times −weight: so the weights themselves, half as long as other scalars, stand before
    # the commitments. Points in the order of the showing's bytes; then the pseudonyms.
    before_mac = -first * challenge * key.x1_inverse % ORDER
    factors = show_factors(statement, len(one.named))
    own = [-first * response - before_mac * key.x0, before_mac, first, second]
    own += [-second * challenge * factor for factor in factors]
    points = one.data[:-SIZE] + b"".join([name for _context, name in one.named])
    bases = [pseudonym_base(context) for context, _name in one.named]
    return PointSum(own, points, [-second * response * factor % ORDER for factor in factors], bases)
