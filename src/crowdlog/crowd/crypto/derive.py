"""From the PRF's value of an artifact to everything in its reports.

All of it is bound to version, level, collection and k by the context.
"""

from __future__ import annotations

import hmac

from crowdlog.crowd.crypto.group import encode_scalar, frame, hash_to_scalar

ROOT_SIZE = 32


def hkdf(secret: bytes, context: bytes, info: bytes) -> bytes:
    """HKDF (RFC 5869) with SHA-512, the context as salt: 32 bytes, the first half of the first block."""
    return hmac.digest(hmac.digest(context, secret, "sha512"), info + b"\x01", "sha512")[:ROOT_SIZE]


def root_of(rand: bytes, context: bytes) -> bytes:
    """The one secret that all who hold the same artifact share."""
    return hkdf(rand, context, b"root")


def tag_of(root: bytes, context: bytes, primary: bytes) -> bytes:
    """What reports are grouped by: a commitment to the artifact that hides it from whoever lacks the root."""
    return hkdf(root, context, b"tag" + primary)


def coefficient(root: bytes, context: bytes, index: int) -> int:
    return hash_to_scalar(frame(context, root, index.to_bytes(2, "big")), b"crowdlog-v2-coefficient")


def polynomial(root: bytes, context: bytes, k: int) -> list[int]:
    """The polynomial of degree k − 1 that the shares lie on."""
    return [coefficient(root, context, index) for index in range(k)]


def key_of(secret: int, context: bytes, tag: bytes) -> bytes:
    """The payload's key, from the polynomial's value at 0: whoever lacks k shares lacks the key."""
    return hkdf(encode_scalar(secret), context, b"key" + tag)


def share_point(pseudonym: bytes) -> int:
    """Where a person's share lies. It is 0 with probability 2^-252; openings refuse that."""
    return hash_to_scalar(pseudonym, b"crowdlog-v2-share-point")
