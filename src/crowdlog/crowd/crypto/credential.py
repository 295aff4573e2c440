"""Credentials of one person in one collection: they let her be counted once per artifact, within her limit,
and never be recognised.

A credential is a MAC (MAC_GGM of Chase, Meiklejohn and Zaverucha, CCS 2014) by one of the services on a
secret `m` that only the client knows; a person has one of each issuer, all on the same m. For a context (an
artifact's tag, or one of her numbered slots) the client shows the pseudonym m · H(context), the same each
time, unlinkable to her others under DDH, with a freshly randomised copy of the MAC and a proof that all hold
the same m. proofs/crowdlogging.md has the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from crowdlog.crowd.crypto import sigma
from crowdlog.crowd.crypto.collection import ISSUERS, Collection
from crowdlog.crowd.crypto.group import (
    BASE,
    ORDER,
    SIZE,
    ReportError,
    add,
    decode_point,
    decode_scalar,
    encode_scalar,
    frame,
    hash_to_group,
    hash_to_scalar,
    multiply,
    random_scalar,
)
from crowdlog.privacy.randomness import Randomness

SECOND = hash_to_group(b"second generator", b"crowdlog-v2-generator")  # nobody knows its logarithm to BASE
REQUEST_SIZE = 3 * SIZE  # M, commitment, response
RESPONSE_SIZE = 12 * SIZE  # U, U', T, five commitments, four responses
CREDENTIALS_SIZE = SIZE * (1 + 2 * len(ISSUERS))  # m, then U, U' of each issuer

SHOWN_SIZE = 5 * SIZE  # U, U', two commitments, the response; for any number of pseudonyms

Named = Sequence[tuple[bytes, bytes]]  # (context, pseudonym for it)


@dataclass(frozen=True)
class IssuerKey:
    """The MAC key of the aggregation server for one collection."""

    x0: int = field(repr=False)
    x1: int = field(repr=False)
    mask: int = field(repr=False)

    @classmethod
    def generate(cls, randomness: Randomness) -> IssuerKey:
        return cls(random_scalar(randomness), random_scalar(randomness), random_scalar(randomness))

    @classmethod
    def from_bytes(cls, data: bytes) -> IssuerKey:
        if len(data) != 3 * SIZE:
            raise ReportError(f"An issuer's key has {3 * SIZE} bytes, got {len(data)}.")
        return cls(
            decode_scalar(data[:SIZE]), decode_scalar(data[SIZE : 2 * SIZE]), decode_scalar(data[2 * SIZE :])
        )

    def to_bytes(self) -> bytes:
        return encode_scalar(self.x0) + encode_scalar(self.x1) + encode_scalar(self.mask)

    @cached_property
    def x1_inverse(self) -> int:
        return pow(self.x1, -1, ORDER)

    @property
    def public(self) -> bytes:
        """A commitment to x0, then x1 · SECOND: the same for everybody, so that no client can be given a key
        of her own.
        """
        return add(multiply(self.x0, BASE), multiply(self.mask, SECOND)) + multiply(self.x1, SECOND)


@dataclass(frozen=True)
class Credential:
    """The MAC of one issuer on a person's secret."""

    secret: int = field(repr=False)
    u: bytes = field(repr=False)
    mac: bytes = field(repr=False)


@dataclass(frozen=True)
class Credentials:
    """A person's credentials, one of each issuer, on one secret."""

    report: Credential
    evaluation: Credential
    admission: Credential

    def to_bytes(self) -> bytes:
        macs = [one.u + one.mac for one in (self.report, self.evaluation, self.admission)]
        return encode_scalar(self.report.secret) + b"".join(macs)

    @classmethod
    def from_bytes(cls, data: bytes) -> Credentials:
        if len(data) != CREDENTIALS_SIZE:
            raise ReportError(
                f"Credentials have {CREDENTIALS_SIZE} bytes, got {len(data)}; join the collection again."
            )
        secret = decode_scalar(data[:SIZE])
        points = [decode_point(data[start : start + SIZE]) for start in range(SIZE, len(data), SIZE)]
        return cls(*(Credential(secret, u, mac) for u, mac in zip(points[::2], points[1::2], strict=True)))


@dataclass(frozen=True)
class PendingCredential:
    """What a client keeps between asking and being answered: only `request` is sent."""

    secret: int = field(repr=False)
    request: bytes

    def to_bytes(self) -> bytes:
        return encode_scalar(self.secret) + self.request

    @classmethod
    def from_bytes(cls, data: bytes) -> PendingCredential:
        if len(data) != SIZE + REQUEST_SIZE:
            raise ReportError(
                f"A pending credential has {SIZE + REQUEST_SIZE} bytes, got {len(data)}; join the "
                "collection again."
            )
        return cls(decode_scalar(data[:SIZE]), data[SIZE:])


def request_credential(collection: Collection, randomness: Randomness) -> PendingCredential:
    """Choose the secret m and ask for a MAC on it, showing m · BASE only."""
    secret = random_scalar(randomness)
    point = multiply(secret, BASE)
    return PendingCredential(
        secret,
        point + sigma.prove(b"request", _request_statement(point), [secret], collection.id, randomness),
    )


def issue_credential(
    key: IssuerKey, collection_id: bytes, request: bytes, randomness: Randomness, issuer: str = "report"
) -> bytes:
    """Answer a request with a MAC and a proof that the key everybody knows was used.

    Whether the asker may join is the caller's business.
    """
    point = requested_point(collection_id, request)
    b = random_scalar(randomness)
    u, x1_public = multiply(b, BASE), key.public[SIZE:]
    mac = multiply(b, add(multiply(key.x0, BASE), multiply(key.x1, point)))
    helper = multiply(b, x1_public)
    statement = _issue_statement(key.public, point, u, mac, helper)
    secrets = [key.x0, key.mask, b, b * key.x1]
    message = collection_id + issuer.encode()
    return u + mac + helper + sigma.prove(b"issue", statement, secrets, message, randomness)


def requested_point(collection_id: bytes, request: bytes) -> bytes:
    """The public point M = m · BASE of a request whose sender proves that she knows m."""
    if len(request) != REQUEST_SIZE:
        raise ReportError(f"A credential request has {REQUEST_SIZE} bytes, got {len(request)}.")
    point = decode_point(request[:SIZE])
    if not sigma.proved(b"request", _request_statement(point), request[SIZE:], collection_id):
        raise ReportError(
            "The credential request does not prove that its sender knows the secret, or is meant for another "
            "collection."
        )
    return point


def accept_credential(
    pending: PendingCredential, collection: Collection, response: bytes, issuer: str = "report"
) -> Credential:
    """Check the answer; a MAC under any other key than the collection's is refused, for it could be used to
    recognise its owner.
    """
    if len(response) != RESPONSE_SIZE:
        raise ReportError(f"A credential's answer has {RESPONSE_SIZE} bytes, got {len(response)}; ask again.")
    u, mac, helper = (decode_point(response[start : start + SIZE]) for start in (0, SIZE, 2 * SIZE))
    statement = _issue_statement(collection.issuer(issuer), pending.request[:SIZE], u, mac, helper)
    if not sigma.proved(b"issue", statement, response[3 * SIZE :], collection.id + issuer.encode()):
        raise ReportError(
            "The credential was not made with the collection's public key: it was thrown away; do not "
            "trust this "
            "server."
        )
    return Credential(pending.secret, u, mac)


def pseudonym(credential: Credential, context: bytes) -> bytes:
    """The name of this person for this context: always the same here, unlinkable elsewhere."""
    return multiply(credential.secret, pseudonym_base(context))


def show(credential: Credential, named: Named, message: bytes, randomness: Randomness) -> bytes:
    """Prove to the issuer that these pseudonyms belong to one of its credentials, all to the same; the proof
    is bound to the message.
    """
    a = random_scalar(randomness)
    u, mac = multiply(a, credential.u), multiply(a, credential.mac)
    statement = show_statement(u, mac, named)
    base = _combined([pseudonym_base(context) for context, _name in named], statement)
    mask = random_scalar(randomness)
    commitments = multiply(mask, u) + multiply(mask, base)
    challenge = show_challenge(statement, commitments, message)
    response = encode_scalar((mask - challenge * credential.secret) % ORDER)
    return u + mac + commitments + response


def shown(key: IssuerKey, shown_bytes: bytes, named: Named, message: bytes) -> bool:
    """Whether `show` made these bytes with one of the key's credentials, for these pseudonyms and this
    message.
    """
    if len(shown_bytes) != SHOWN_SIZE:
        return False
    u, mac, first, second, last = (shown_bytes[start : start + SIZE] for start in range(0, SHOWN_SIZE, SIZE))
    statement = show_statement(u, mac, named)
    challenge = show_challenge(statement, first + second, message)
    try:
        response = decode_scalar(last)
        # U' = x0·U + x1·W holds for one W; nobody sends it
        w = multiply(key.x1_inverse, add(decode_point(mac), multiply(-key.x0, u)))
        names = _combined([decode_point(name) for _context, name in named], statement)
        base = _combined([pseudonym_base(context) for context, _name in named], statement)
        return first == add(multiply(challenge, w), multiply(response, u)) and second == add(
            multiply(challenge, names), multiply(response, base)
        )
    except ReportError:
        return False


def unchanged(shown_bytes: bytes, named: Named, message: bytes) -> bool:
    """Whether the half of a showing holds that anybody can check, without a key or a secret: it is bound to
    all bytes of it, to the pseudonyms and to the message, so that none of them has changed since.
    """
    if len(shown_bytes) != SHOWN_SIZE:
        return False
    u, mac, first, second, last = (shown_bytes[start : start + SIZE] for start in range(0, SHOWN_SIZE, SIZE))
    statement = show_statement(u, mac, named)
    challenge = show_challenge(statement, first + second, message)
    try:
        names = _combined([decode_point(name) for _context, name in named], statement)
        base = _combined([pseudonym_base(context) for context, _name in named], statement)
        return second == add(multiply(challenge, names), multiply(decode_scalar(last), base))
    except ReportError:
        return False


def show_statement(u: bytes, mac: bytes, named: Named) -> bytes:
    """What a showing speaks of: U, U' and each pseudonym with its base."""
    return frame(u, mac, *[part for context, name in named for part in (name, pseudonym_base(context))])


def show_factors(statement: bytes, pseudonyms: int) -> list[int]:
    """What each pseudonym and its base are multiplied with before they are added up: known only when all of
    them are, so that two wrong ones do not make a right sum.
    """
    others = range(1, pseudonyms)
    return [1, *[hash_to_scalar(statement + bytes([n]), b"crowdlog-v2-showing-factor") for n in others]]


def show_challenge(statement: bytes, commitments: bytes, message: bytes) -> int:
    """The challenge of Fiat and Shamir: a hash of all that is claimed and of what was committed to."""
    return hash_to_scalar(statement + commitments + message, sigma.DOMAIN + b"show")


def _combined(points: Sequence[bytes], statement: bytes) -> bytes:
    """Σ factor · point."""
    factors = show_factors(statement, len(points))
    return add(points[0], *map(multiply, factors[1:], points[1:]))


@lru_cache(maxsize=4096)  # the slots of a collection, and the artifacts that many send, come again and again
def pseudonym_base(context: bytes) -> bytes:
    """The point that pseudonyms for this context are multiples of."""
    return hash_to_group(context, b"crowdlog-v2-pseudonym")


def _request_statement(point: bytes) -> list[sigma.Equation]:
    return [(point, ((0, BASE),))]


def _issue_statement(
    public: bytes, point: bytes, u: bytes, mac: bytes, helper: bytes
) -> list[sigma.Equation]:
    """Secrets: x0, mask, b, t = b·x1. U = b·G, U' = x0·U + t·M, C = x0·G + mask·S, T = b·X1 = t·S."""
    commitment, x1_public = public[:SIZE], public[SIZE:]
    return [
        (u, ((2, BASE),)),
        (mac, ((0, u), (3, point))),
        (commitment, ((0, BASE), (1, SECOND))),
        (helper, ((2, x1_public),)),
        (helper, ((3, SECOND),)),
    ]
