"""What a service says under its own name: Ed25519 signatures, each for one purpose only."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from crowdlog.crowd.crypto.group import SIZE, ReportError
from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True)
class SigningKey:
    """The secret a service signs with."""

    secret: bytes = field(repr=False)

    @classmethod
    def generate(cls, randomness: Randomness) -> SigningKey:
        return cls(randomness.bytes(SIZE))

    @classmethod
    def from_bytes(cls, data: bytes) -> SigningKey:
        if len(data) != SIZE:
            raise ReportError(f"A signing key has {SIZE} bytes, got {len(data)}.")
        return cls(data)

    def to_bytes(self) -> bytes:
        return self.secret

    @cached_property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.secret)

    @cached_property
    def public(self) -> bytes:
        return self._private.public_key().public_bytes_raw()

    def sign(self, purpose: str, message: bytes) -> bytes:
        """A signature of the message that is good for this purpose only."""
        return self._private.sign(_framed(purpose, message))


def signed(public: bytes, purpose: str, message: bytes, signature: bytes) -> bool:
    """Whether the holder of this public key signed the message for this purpose."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _framed(purpose, message))
    except (InvalidSignature, ValueError):
        return False
    return True


def _framed(purpose: str, message: bytes) -> bytes:
    return b"crowdlog-v2-" + purpose.encode() + b"\0" + message
