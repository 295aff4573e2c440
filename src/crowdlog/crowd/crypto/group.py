"""The group of the protocol: ristretto255 (RFC 9496).

A point is its 32 bytes, a scalar is a Python integer below ORDER.

Scalars travel little-endian in 32 bytes. rbcl (libsodium) checks no lengths once installed, and its release
ignores the highest bit of a point's bytes, which RFC 9496 demands to be zero: with it one point would have
two spellings, and one person two names. So lengths and that bit are checked here.
"""

from __future__ import annotations

import hashlib
from functools import reduce

from crowdlog.crowd.crypto.sodium import rbcl
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

ORDER = 2**252 + 27742317777372353535851937790883648493  # ℓ, RFC 9496 section 4
# RFC 9496, appendix A.1
BASE = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
SIZE = 32  # bytes of a point and of a scalar


class ReportError(InputError):
    """Bytes from outside that cannot be used. The message says why and never quotes them."""


def encode_scalar(value: int) -> bytes:
    return value.to_bytes(SIZE, "little")


def decode_scalar(data: bytes) -> int:
    """Read a scalar; only the one canonical spelling is accepted."""
    value = int.from_bytes(data, "little")
    if len(data) != SIZE or value >= ORDER:
        raise ReportError(
            f"A scalar must be {SIZE} bytes holding a number below the group's order, got {len(data)} bytes; "
            "send it canonically encoded."
        )
    return value


def decode_point(data: bytes) -> bytes:
    """Return the bytes of a point if they are one and not the identity."""
    if not _spelled_once(data) or not any(data) or not rbcl.crypto_core_ristretto255_is_valid_point(data):
        raise ReportError(
            f"A group element must be {SIZE} bytes of canonical ristretto255 and not the identity, got "
            f"{len(data)} other bytes."
        )
    return data


def _spelled_once(point: bytes) -> bool:
    return len(point) == SIZE and point[-1] < 0x80


def random_scalar(randomness: Randomness) -> int:
    """A uniform nonzero scalar (64 bytes reduced: bias below 2^-250)."""
    return int.from_bytes(randomness.bytes(64), "little") % (ORDER - 1) + 1


def multiply(scalar: int, point: bytes) -> bytes:
    """scalar · point.

    Refuses what is no point, and products that are the identity: no honest message holds one.
    """
    if not _spelled_once(point):
        raise ReportError(f"A group element must be {SIZE} bytes in their only spelling, got {len(point)}.")
    encoded = encode_scalar(scalar % ORDER)
    try:
        return bytes(
            rbcl.crypto_scalarmult_ristretto255_base(encoded)
            if point == BASE
            else rbcl.crypto_scalarmult_ristretto255(encoded, point)
        )
    except RuntimeError as error:
        raise ReportError(
            "A group element is not valid ristretto255, or its product is the identity; "
            "send canonical elements."
        ) from error


def add(*points: bytes) -> bytes:
    """The sum of points that `multiply`, `decode_point` or `hash_to_group` returned."""
    return reduce(lambda a, b: bytes(rbcl.crypto_core_ristretto255_add(a, b)), points)


def expand(message: bytes, domain: bytes) -> bytes:
    """expand_message_xmd of RFC 9380 section 5.3.1 with SHA-512, 64 bytes: one block suffices."""
    suffix = domain + bytes([len(domain)])
    first = hashlib.sha512(bytes(128) + message + b"\x00\x40\x00" + suffix).digest()
    return hashlib.sha512(first + b"\x01" + suffix).digest()


def hash_to_group(message: bytes, domain: bytes) -> bytes:
    return bytes(rbcl.crypto_core_ristretto255_from_hash(expand(message, domain)))


def hash_to_scalar(message: bytes, domain: bytes) -> int:
    return int.from_bytes(expand(message, domain), "little") % ORDER


def frame(*fields: bytes) -> bytes:
    """Join fields so that they can be told apart: each after its length in two bytes, big-endian."""
    return b"".join([len(field).to_bytes(2, "big") + field for field in fields])
