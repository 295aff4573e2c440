"""The verifiable oblivious PRF of RFC 9497 (ristretto255-SHA512, mode 0x01): the server learns nothing of the
input, the client checks its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

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

CONTEXT = b"OPRFV1-\x01-ristretto255-SHA512"
MAX_INPUT = 2**16 - 1  # RFC 9497 section 1.2
MAX_BATCH = 1000  # ours: a request stays below 32 kB and a fifth of a second


@dataclass(frozen=True)
class VoprfKey:
    """The secret of the randomness server for one collection."""

    secret: int = field(repr=False)

    @classmethod
    def generate(cls, randomness: Randomness) -> VoprfKey:
        return cls(random_scalar(randomness))

    @classmethod
    def derive(cls, seed: bytes, info: bytes) -> VoprfKey:
        """DeriveKeyPair, RFC 9497 section 3.2.1 (a zero key, which it retries, has probability 2^-252)."""
        return cls(hash_to_scalar(seed + frame(info) + b"\x00", b"DeriveKeyPair" + CONTEXT))

    @classmethod
    def from_bytes(cls, data: bytes) -> VoprfKey:
        return cls(decode_scalar(data))

    def to_bytes(self) -> bytes:
        return encode_scalar(self.secret)

    @property
    def public(self) -> bytes:
        return multiply(self.secret, BASE)

    def output(self, message: bytes) -> bytes:
        """The PRF's value where key and input are in one hand: for tests and trials."""
        return _finish(message, multiply(self.secret, _to_group(message)))


@dataclass(frozen=True)
class Blinded:
    """What a client keeps of one request: only `element` is sent."""

    message: bytes = field(repr=False)
    blind: int = field(repr=False)
    element: bytes


@dataclass(frozen=True)
class Evaluation:
    """The server's answer to a batch, with one proof for all of it."""

    elements: tuple[bytes, ...]
    proof: bytes

    def to_bytes(self) -> bytes:
        return self.proof + b"".join(self.elements)

    @classmethod
    def from_bytes(cls, data: bytes) -> Evaluation:
        count, rest = divmod(len(data) - 2 * SIZE, SIZE)
        if rest or not 1 <= count <= MAX_BATCH:
            raise ReportError(
                f"An evaluation must be 64 bytes of proof and 1 to {MAX_BATCH} elements of 32 bytes, got "
                f"{len(data)} bytes."
            )
        return cls(
            tuple(data[start : start + SIZE] for start in range(2 * SIZE, len(data), SIZE)), data[: 2 * SIZE]
        )


def blind(message: bytes, randomness: Randomness) -> Blinded:
    """Hide an input before it is sent."""
    return blind_with(message, random_scalar(randomness))


def blind_with(message: bytes, scalar: int) -> Blinded:
    """`blind` with a chosen scalar, for test vectors."""
    if len(message) > MAX_INPUT:
        raise ReportError(f"An input of the PRF holds at most {MAX_INPUT} bytes, got {len(message)}.")
    return Blinded(message, scalar, multiply(scalar, _to_group(message)))


def evaluate(key: VoprfKey, elements: Sequence[bytes], randomness: Randomness) -> Evaluation:
    """Evaluate a batch of blinded elements and prove that the public key's secret was used."""
    return evaluate_with(key, elements, random_scalar(randomness))


def evaluate_with(key: VoprfKey, elements: Sequence[bytes], scalar: int) -> Evaluation:
    """`evaluate` with a chosen scalar in its proof, for test vectors."""
    if not 1 <= len(elements) <= MAX_BATCH:
        raise ReportError(f"A batch holds 1 to {MAX_BATCH} elements, got {len(elements)}; split it.")
    results = tuple(multiply(key.secret, decode_point(element)) for element in elements)
    public = key.public
    mixed = _combine(_weights(public, elements, results), elements)
    challenge = _challenge(
        public, mixed, multiply(key.secret, mixed), multiply(scalar, BASE), multiply(scalar, mixed)
    )
    return Evaluation(
        results, encode_scalar(challenge) + encode_scalar((scalar - challenge * key.secret) % ORDER)
    )


def finalize(public: bytes, blinded: Sequence[Blinded], evaluation: Evaluation) -> list[bytes]:
    """Check the proof, take the blinds off and return the PRF's values, 64 bytes each, in the order of the
    requests.
    """
    if len(blinded) != len(evaluation.elements):
        raise ReportError(
            f"{len(blinded)} elements were sent but {len(evaluation.elements)} came back; "
            "ask the randomness server again."
        )
    if not _proof_holds(public, [item.element for item in blinded], evaluation):
        raise ReportError(
            "The randomness server's proof does not match its public key: nothing was used; "
            "do not trust this server."
        )
    return [
        _finish(item.message, multiply(pow(item.blind, -1, ORDER), element))
        for item, element in zip(blinded, evaluation.elements, strict=True)
    ]


def _proof_holds(public: bytes, elements: Sequence[bytes], evaluation: Evaluation) -> bool:
    challenge, response = decode_scalar(evaluation.proof[:SIZE]), decode_scalar(evaluation.proof[SIZE:])
    results = [decode_point(element) for element in evaluation.elements]
    weights = _weights(decode_point(public), elements, results)
    mixed, product = _combine(weights, elements), _combine(weights, results)
    first = add(multiply(response, BASE), multiply(challenge, public))
    second = add(multiply(response, mixed), multiply(challenge, product))
    return challenge == _challenge(public, mixed, product, first, second)


def _to_group(message: bytes) -> bytes:
    return hash_to_group(message, b"HashToGroup-" + CONTEXT)


def _finish(message: bytes, element: bytes) -> bytes:
    return hashlib.sha512(frame(message, element) + b"Finalize").digest()


def _weights(public: bytes, elements: Sequence[bytes], results: Sequence[bytes]) -> list[int]:
    """The weights of ComputeComposites, RFC 9497 section 2.2.1."""
    seed = hashlib.sha512(frame(public, b"Seed-" + CONTEXT)).digest()
    return [
        hash_to_scalar(
            frame(seed) + index.to_bytes(2, "big") + frame(element, result) + b"Composite",
            b"HashToScalar-" + CONTEXT,
        )
        for index, (element, result) in enumerate(zip(elements, results, strict=True))
    ]


def _combine(weights: Sequence[int], points: Sequence[bytes]) -> bytes:
    return add(*map(multiply, weights, points))


def _challenge(*points: bytes) -> int:
    return hash_to_scalar(frame(*points) + b"Challenge", b"HashToScalar-" + CONTEXT)
