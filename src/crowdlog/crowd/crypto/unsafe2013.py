"""UNSAFE: the reports of the 2013 system, kept so that its weakness can be shown.

Nothing but the attack demonstrations may use this file.

As in Feild (2013, chapter 3), tag, key and polynomial all come from a hash of the artifact. The arithmetic is
done properly, in the prime field of 2^255 − 19, unlike in the 2013 code, so the attack that works on it is a
flaw of the design: whoever holds one report tests a guess at its artifact by hashing it, whatever k is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

PRIME = 2**255 - 19


@dataclass(frozen=True)
class UnsafeReport:
    """One user's share of an artifact. `sealed` is the artifact under a key made from the artifact itself."""

    tag: bytes
    x: int
    y: int
    sealed: bytes = field(repr=False)


def unsafe_report(artifact: bytes, k: int, user: bytes) -> UnsafeReport:
    """The report of a user; everything but the share's point follows from the artifact and k."""
    coefficients = [_number(b"coefficient %d of %d" % (index, k), artifact) for index in range(k)]
    x = _number(b"point", user)
    y = sum(coefficient * pow(x, power, PRIME) for power, coefficient in enumerate(coefficients)) % PRIME
    return UnsafeReport(
        _digest(b"tag %d" % k, artifact), x, y, _cipher(coefficients[0]).encrypt(bytes(12), artifact, b"")
    )


def unsafe_open(reports: Iterable[UnsafeReport], k: int) -> bytes | None:
    """The artifact of a group of honest reports, or None below k users."""
    shares = {report.x: report for report in reports}
    if len(shares) < k:
        return None
    chosen = list(shares.values())[:k]
    secret = 0
    for report in chosen:
        others = [other.x for other in chosen if other.x != report.x]
        term = report.y
        for x in others:
            term = term * x * pow(x - report.x, -1, PRIME) % PRIME
        secret += term
    return _cipher(secret % PRIME).decrypt(bytes(12), chosen[0].sealed, b"")


def _digest(label: bytes, content: bytes) -> bytes:
    return hashlib.sha256(b"unsafe 2013 " + label + b"\x00" + content).digest()


def _number(label: bytes, content: bytes) -> int:
    return int.from_bytes(_digest(label, content)) % (PRIME - 1) + 1


def _cipher(secret: int) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(_digest(b"key", secret.to_bytes(32)))
