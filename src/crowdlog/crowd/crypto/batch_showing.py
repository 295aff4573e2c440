"""Many showings of credentials checked together.

Every equation of every showing is multiplied by a random number of 128 bits that nobody else knows, and all
are added up: one sum of points, which is the identity when all equations hold, and otherwise with probability
2^-128 (proofs/crowdlogging.md). A sum that is not is halved until the showings at fault are found; each of
them is judged by `shown`, so a batch never decides otherwise than one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from crowdlog.crowd.crypto import sigma
from crowdlog.crowd.crypto.credential import IssuerKey, Named, show_statement, shown, shown_size
from crowdlog.crowd.crypto.group import ORDER, SIZE, ReportError, decode_scalar
from crowdlog.privacy.randomness import Randomness

_WEIGHT = 16  # bytes of a random factor
_FEW = 4  # below this many, one by one is as fast

Terms = list[tuple[int, bytes]]  # scalars and points whose sum must be the identity


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
    well_formed: list[tuple[int, Terms]] = []
    for number, one in enumerate(showings):
        terms = _terms(key, one, randomness)
        if terms:
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


def _balanced(parts: Sequence[Terms]) -> bool:
    """Whether all terms together are the identity; a point that many share is taken once."""
    from crowdlog.crowd.crypto.multiscalar import sums_to_identity  # brings the compiler; clients need none

    summed: dict[bytes, int] = {}
    for terms in parts:
        for scalar, point in terms:
            summed[point] = summed.get(point, 0) + scalar
    return sums_to_identity([scalar % ORDER for scalar in summed.values()], list(summed)) is True


def _terms(key: IssuerKey, one: Showing, randomness: Randomness) -> Terms:
    """The equations of a showing, each times a random number; none if its form is wrong."""
    if len(one.data) != shown_size(len(one.named)):
        return []
    parts = [one.data[start : start + SIZE] for start in range(0, len(one.data), SIZE)]
    (u, mac, w), commitments = parts[:3], parts[3:-1]
    try:
        response = decode_scalar(parts[-1])
    except ReportError:
        return []
    equations = show_statement(u, w, one.named)
    head = one.data[: 3 * SIZE]
    challenge = sigma.challenge_of(b"show", equations, commitments, head + one.message)
    drawn = randomness.bytes(_WEIGHT * (1 + len(equations)))
    weights = [
        int.from_bytes(drawn[start : start + _WEIGHT], "little") for start in range(0, len(drawn), _WEIGHT)
    ]
    # x0·U + x1·W − U' and challenge·target + response·base − commitment, all times −weight: so the weights
    # themselves, half as long as other scalars, stand before U' and the commitments.
    terms: Terms = [(weights[0], mac), (-weights[0] * key.x0, u), (-weights[0] * key.x1, w)]
    for weight, commitment, (target, ((_secret, base),)) in zip(
        weights[1:], commitments, equations, strict=True
    ):
        terms += [(weight, commitment), (-weight * challenge, target), (-weight * response, base)]
    return terms
