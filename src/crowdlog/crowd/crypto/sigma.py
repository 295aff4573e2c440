"""Schnorr proofs of knowledge for linear equations between points, made non-interactive with Fiat–Shamir.

A statement is a list of equations `target = Σ secret[i] · base`. The proof convinces that one knows all
secrets and tells nothing else. Bytes of a proof: one commitment per equation, then one response per secret,
32 bytes each. Commitments are sent instead of the challenge so that many proofs can be checked together.
"""

from __future__ import annotations

from collections.abc import Sequence

from crowdlog.crowd.crypto.group import (
    ORDER,
    SIZE,
    ReportError,
    add,
    decode_scalar,
    encode_scalar,
    frame,
    hash_to_scalar,
    multiply,
    random_scalar,
)
from crowdlog.privacy.randomness import Randomness

Equation = tuple[bytes, tuple[tuple[int, bytes], ...]]  # target, (number of the secret, base)
DOMAIN = b"crowdlog-v2-proof-"


def prove(
    label: bytes,
    equations: Sequence[Equation],
    secrets: Sequence[int],
    message: bytes,
    randomness: Randomness,
) -> bytes:
    """Prove the equations; the proof is bound to the message, and the label keeps proofs of different shapes
    apart.
    """
    masks = [random_scalar(randomness) for _ in secrets]
    commitments = [add(*(multiply(masks[number], base) for number, base in terms)) for _, terms in equations]
    challenge = challenge_of(label, equations, commitments, message)
    responses = (
        encode_scalar((mask - challenge * secret) % ORDER)
        for mask, secret in zip(masks, secrets, strict=True)
    )
    return b"".join([*commitments, *responses])


def proved(label: bytes, equations: Sequence[Equation], proof: bytes, message: bytes) -> bool:
    """Whether the proof holds for exactly these equations and this message."""
    secrets = 1 + max(number for _, terms in equations for number, _ in terms)
    if len(proof) != SIZE * (len(equations) + secrets):
        return False
    parts = [proof[start : start + SIZE] for start in range(0, len(proof), SIZE)]
    commitments = parts[: len(equations)]
    challenge = challenge_of(label, equations, commitments, message)
    try:
        responses = [decode_scalar(part) for part in parts[len(equations) :]]
        return all(
            commitment
            == add(
                multiply(challenge, target), *(multiply(responses[number], base) for number, base in terms)
            )
            for commitment, (target, terms) in zip(commitments, equations, strict=True)
        )
    except ReportError:
        return False


def challenge_of(
    label: bytes, equations: Sequence[Equation], commitments: Sequence[bytes], message: bytes
) -> int:
    """The challenge of Fiat and Shamir: a hash of everything that is claimed and of what was committed to."""
    fields = [field for target, terms in equations for field in (target, *[base for _, base in terms])]
    return hash_to_scalar(frame(*fields, *commitments) + message, DOMAIN + label)
