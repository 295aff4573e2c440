"""Onion envelopes: a report wrapped once per mix and once for the aggregation server, each layer HPKE (RFC
9180, base mode).

Suite: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305. A layer is the 32 bytes of the ephemeral
key and the sealed inside: 48 bytes more. Sealing is written out here because its ephemeral key must come from
our source of randomness; opening is the library's.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from crowdlog.crowd.crypto.group import SIZE, ReportError
from crowdlog.privacy.randomness import Randomness

INFO = b"crowdlog-v2-layer"
LAYER_OVERHEAD = 48  # ephemeral key and Poly1305 tag
KEM_ID, HPKE_ID = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x03"  # suite ids, RFC 9180 section 7


@dataclass(frozen=True)
class MixKey:
    """The X25519 secret that opens one layer."""

    secret: bytes = field(repr=False)

    @classmethod
    def generate(cls, randomness: Randomness) -> MixKey:
        return cls(randomness.bytes(SIZE))

    @classmethod
    def from_bytes(cls, data: bytes) -> MixKey:
        if len(data) != SIZE:
            raise ReportError(f"A mix key has {SIZE} bytes, got {len(data)}.")
        return cls(data)

    def to_bytes(self) -> bytes:
        return self.secret

    @cached_property
    def private(self) -> X25519PrivateKey:
        """The library's key, made once: making it costs half as much as opening a layer."""
        return X25519PrivateKey.from_private_bytes(self.secret)

    @cached_property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes_raw()


def seal_onion(publics: Sequence[bytes], report: bytes, randomness: Randomness) -> bytes:
    """Wrap a report for a chain of keys; the first one is opened first."""
    for public in reversed(publics):
        report = seal_layer(public, report, randomness.bytes(SIZE))
    return report


def open_layer(key: MixKey, envelope: bytes) -> bytes:
    """Take one layer off; what is inside is for the next in the chain."""
    try:
        return _suite().decrypt(envelope, key.private, INFO)
    except (InvalidTag, ValueError) as error:
        raise ReportError(
            f"The envelope of {len(envelope)} bytes cannot be opened here: it is damaged or meant for "
            "another node."
        ) from error


def seal_layer(public: bytes, inside: bytes, ephemeral: bytes) -> bytes:
    """SetupBaseS and one Seal of RFC 9180 with this ephemeral secret, to be used once."""
    own = X25519PrivateKey.from_private_bytes(ephemeral)
    enc = own.public_key().public_bytes_raw()
    try:
        shared = own.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError as error:
        raise ReportError(
            f"A mix's public key must be a proper X25519 key of {SIZE} bytes, got {len(public)} bytes; "
            "do not send."
        ) from error
    secret = _expand(_extract(b"", KEM_ID, b"eae_prk", shared), KEM_ID, b"shared_secret", enc + public, 32)
    context = (
        b"\x00" + _extract(b"", HPKE_ID, b"psk_id_hash", b"") + _extract(b"", HPKE_ID, b"info_hash", INFO)
    )
    prk = _extract(secret, HPKE_ID, b"secret", b"")
    cipher = ChaCha20Poly1305(_expand(prk, HPKE_ID, b"key", context, 32))
    return enc + cipher.encrypt(_expand(prk, HPKE_ID, b"base_nonce", context, 12), inside, b"")


def _suite() -> Suite:
    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)


def _extract(salt: bytes, suite: bytes, label: bytes, key: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, "sha256")


def _expand(prk: bytes, suite: bytes, label: bytes, info: bytes, size: int) -> bytes:
    """One block of HKDF-Expand is enough for all sizes asked for."""
    return hmac.digest(prk, size.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info + b"\x01", "sha256")[
        :size
    ]
