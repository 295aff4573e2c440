"""One credential per person and collection: it lets her be counted once per artifact and never be recognised.

A credential is a MAC (MAC_GGM of Chase, Meiklejohn and Zaverucha, CCS 2014) by the aggregation server on a
secret `m` that only the client knows. For an artifact's tag the client shows the pseudonym m · H(tag), the
same each time she sends that artifact, unlinkable to her others under DDH, with a freshly randomised copy of
the MAC and a proof that both hold the same m. proofs/crowdlogging.md has the argument.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from crowdlog.crowd.crypto import sigma
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.group import (
    BASE,
    SIZE,
    ReportError,
    add,
    decode_point,
    decode_scalar,
    encode_scalar,
    hash_to_group,
    multiply,
    random_scalar,
)
from crowdlog.privacy.randomness import Randomness

SECOND = hash_to_group(b"second generator", b"crowdlog-v1-generator")  # nobody knows its logarithm to BASE
REQUEST_SIZE = 3 * SIZE  # M, challenge, response
RESPONSE_SIZE = 8 * SIZE  # U, U', T, challenge, four responses
CREDENTIAL_SIZE = 3 * SIZE  # m, U, U'
SHOWN_SIZE = 5 * SIZE  # U, U', W, challenge, response


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

    @property
    def public(self) -> bytes:
        """A commitment to x0, then x1 · SECOND: the same for everybody, so that no client can be given a key
        of her own.
        """
        return add(multiply(self.x0, BASE), multiply(self.mask, SECOND)) + multiply(self.x1, SECOND)


@dataclass(frozen=True)
class Credential:
    secret: int = field(repr=False)
    u: bytes = field(repr=False)
    mac: bytes = field(repr=False)

    def to_bytes(self) -> bytes:
        return encode_scalar(self.secret) + self.u + self.mac

    @classmethod
    def from_bytes(cls, data: bytes) -> Credential:
        if len(data) != CREDENTIAL_SIZE:
            raise ReportError(
                f"A credential has {CREDENTIAL_SIZE} bytes, got {len(data)}; join the collection again."
            )
        return cls(
            decode_scalar(data[:SIZE]), decode_point(data[SIZE : 2 * SIZE]), decode_point(data[2 * SIZE :])
        )


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
                f"A pending credential has {SIZE + REQUEST_SIZE} bytes, got {len(data)}; "
                "join the collection again."
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


def issue_credential(key: IssuerKey, collection_id: bytes, request: bytes, randomness: Randomness) -> bytes:
    """Answer a request with a MAC and a proof that the key everybody knows was used.

    Whether the asker may join is the caller's business.
    """
    if len(request) != REQUEST_SIZE:
        raise ReportError(f"A credential request has {REQUEST_SIZE} bytes, got {len(request)}.")
    point = decode_point(request[:SIZE])
    if not sigma.proved(b"request", _request_statement(point), request[SIZE:], collection_id):
        raise ReportError(
            "The credential request does not prove that its sender knows the secret, or is meant for another "
            "collection."
        )
    b = random_scalar(randomness)
    u, x1_public = multiply(b, BASE), key.public[SIZE:]
    mac = multiply(b, add(multiply(key.x0, BASE), multiply(key.x1, point)))
    helper = multiply(b, x1_public)
    statement = _issue_statement(key.public, point, u, mac, helper)
    return (
        u
        + mac
        + helper
        + sigma.prove(b"issue", statement, [key.x0, key.mask, b, b * key.x1], collection_id, randomness)
    )


def accept_credential(pending: PendingCredential, collection: Collection, response: bytes) -> Credential:
    """Check the answer; a MAC under any other key than the collection's is refused, for it could be used to
    recognise its owner.
    """
    if len(response) != RESPONSE_SIZE:
        raise ReportError(f"A credential's answer has {RESPONSE_SIZE} bytes, got {len(response)}; ask again.")
    u, mac, helper = (decode_point(response[start : start + SIZE]) for start in (0, SIZE, 2 * SIZE))
    statement = _issue_statement(collection.issuer_public, pending.request[:SIZE], u, mac, helper)
    if not sigma.proved(b"issue", statement, response[3 * SIZE :], collection.id):
        raise ReportError(
            "The credential was not made with the collection's public key: it was thrown away; "
            "do not trust this server."
        )
    return Credential(pending.secret, u, mac)


def pseudonym(credential: Credential, context: bytes) -> bytes:
    """The name of this person for this context: always the same here, unlinkable elsewhere."""
    return multiply(credential.secret, _pseudonym_base(context))


def show(
    credential: Credential, context: bytes, name: bytes, message: bytes, randomness: Randomness
) -> bytes:
    """Prove to the issuer that `name`, the pseudonym of this context, belongs to one of its credentials; the
    proof is bound to the message.
    """
    a = random_scalar(randomness)
    u, mac = multiply(a, credential.u), multiply(a, credential.mac)
    w = multiply(credential.secret, u)
    statement = _show_statement(u, w, context, name)
    return (
        u + mac + w + sigma.prove(b"show", statement, [credential.secret], u + mac + w + message, randomness)
    )


def shown(key: IssuerKey, shown_bytes: bytes, context: bytes, name: bytes, message: bytes) -> bool:
    """Whether `show` made these bytes with one of the key's credentials, for this pseudonym, context and
    message.
    """
    if len(shown_bytes) != SHOWN_SIZE:
        return False
    u, mac, w = (shown_bytes[start : start + SIZE] for start in (0, SIZE, 2 * SIZE))
    try:
        # in constant time: a guess must not be guided
        if not hmac.compare_digest(mac, add(multiply(key.x0, u), multiply(key.x1, w))):
            return False
        return sigma.proved(
            b"show",
            _show_statement(u, w, context, name),
            shown_bytes[3 * SIZE :],
            shown_bytes[: 3 * SIZE] + message,
        )
    except ReportError:
        return False


def _pseudonym_base(context: bytes) -> bytes:
    return hash_to_group(context, b"crowdlog-v1-pseudonym")


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


def _show_statement(u: bytes, w: bytes, context: bytes, name: bytes) -> list[sigma.Equation]:
    """Secret: m. W = m·U and pseudonym = m·H(context)."""
    return [(w, ((0, u),)), (name, ((0, _pseudonym_base(context)),))]
