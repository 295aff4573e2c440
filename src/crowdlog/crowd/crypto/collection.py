"""What everybody must agree on: a collection, named by the hash of all its terms, so that nobody can be told
another k or another key unnoticed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from crowdlog.crowd.crypto.group import SIZE, ReportError, frame
from crowdlog.errors import PrivacyRefusal

VERSION = 1
# the client's floor: the k a review board approved for releases (Feild 2013, section 6.5); less is a group of
# friends
MIN_K = 5
MAX_K = 1000  # keeps a client's work (k coefficients per artifact) and an opening's (k² products) small
MIN_LAYERS = 3  # two mixes and the aggregation server
MAX_LAYERS = 10
MIN_PAYLOAD, MAX_PAYLOAD = 64, 4096
MAX_SLOTS = 16  # inner reports of one report
MAX_REPORT = 16_384  # bytes
PAYLOAD_OVERHEAD = 38  # root and three lengths: what an artifact cannot use of the payload
HEADER_SIZE = 304  # of a report, docs/protocol.md
AEAD_TAG = 16  # Poly1305


@dataclass(frozen=True)
class Collection:
    """The public terms of one collection.

    `inner_k` 0 means one threshold; otherwise a report has room for `inner_slots` that open at `inner_k`.
    """

    title: str
    k: int
    voprf_public: bytes
    issuer_public: bytes
    mix_publics: tuple[bytes, ...]  # in the order of travel; the last is the aggregation server's
    inner_k: int = 0
    payload_size: int = 256
    inner_slots: int = 1  # means nothing without inner_k

    def __post_init__(self) -> None:
        if self.k < MIN_K:
            raise PrivacyRefusal(
                f"A collection must need at least {MIN_K} people to read anything, got k = {self.k}; "
                "do not join it."
            )
        if self.inner_k and self.inner_k < self.k:
            raise PrivacyRefusal(
                f"The inner threshold must be at least the outer one ({self.k}), got {self.inner_k}; "
                "do not join it."
            )
        if len(self.mix_publics) < MIN_LAYERS:
            raise PrivacyRefusal(
                f"Reports must pass two mixes before the aggregation server, got {len(self.mix_publics)} "
                f"keys instead of {MIN_LAYERS}."
            )
        if (
            max(self.k, self.inner_k) > MAX_K
            or len(self.mix_publics) > MAX_LAYERS
            or not MIN_PAYLOAD <= self.payload_size <= MAX_PAYLOAD
        ):
            raise ReportError(
                f"A collection allows k up to {MAX_K}, up to {MAX_LAYERS} layers and {MIN_PAYLOAD} to "
                f"{MAX_PAYLOAD} bytes of payload, "
                f"got {max(self.k, self.inner_k)}, {len(self.mix_publics)} and {self.payload_size}."
            )
        if not 1 <= self.inner_slots <= MAX_SLOTS or self.report_size() > MAX_REPORT:
            raise ReportError(
                f"A collection has room for 1 to {MAX_SLOTS} inner reports and reports of at most "
                f"{MAX_REPORT} bytes, "
                f"got {self.inner_slots} and {self.report_size()}; ask its operator."
            )
        sizes = [len(self.voprf_public), len(self.issuer_public) // 2, *map(len, self.mix_publics)]
        if set(sizes) != {SIZE} or len(self.issuer_public) % 2 or len(self.title.encode()) > 200:
            raise ReportError(
                "A collection needs public keys of 32 bytes (64 for the issuer) and a title of at most 200 "
                "bytes; ask its operator."
            )

    @cached_property
    def id(self) -> bytes:
        """32 bytes that name all terms."""
        slots = self.inner_slots.to_bytes(2, "big") if self.inner_k else b""
        version, k, inner_k, payload = (
            number.to_bytes(2, "big") for number in (VERSION, self.k, self.inner_k, self.payload_size)
        )
        numbers = (version, k, inner_k + slots, payload)
        return hashlib.sha256(
            b"crowdlog-v1-collection"
            + frame(self.title.encode(), *numbers, self.voprf_public, self.issuer_public, *self.mix_publics)
        ).digest()

    @property
    def levels(self) -> int:
        return 2 if self.inner_k else 1

    def bar(self, level: int = 0) -> int:
        """How many people a group of this level needs."""
        if level not in range(self.levels):
            raise ReportError(f"This collection has {self.levels} level(s), got level {level}.")
        return self.inner_k if level else self.k

    def context(self, level: int = 0) -> bytes:
        """What every derivation is bound to: version, level, collection and threshold."""
        return bytes([VERSION, level]) + self.id + self.bar(level).to_bytes(2, "big")

    def voprf_input(self, primary: bytes, level: int = 0) -> bytes:
        return self.context(level) + primary

    def payload(self, level: int = 0) -> int:
        """Bytes of a payload before encryption: the same for every report of a level, so that lengths tell
        nothing.
        """
        self.bar(level)
        return self.payload_size + (
            self.inner_slots * self.report_size(1) if level == 0 and self.inner_k else 0
        )

    def report_size(self, level: int = 0) -> int:
        return HEADER_SIZE + self.payload(level) + AEAD_TAG

    def to_json(self) -> str:
        return json.dumps(
            {
                "version": VERSION,
                "title": self.title,
                "k": self.k,
                "inner_k": self.inner_k,
                "inner_slots": self.inner_slots,
                "payload_size": self.payload_size,
                "voprf_public": self.voprf_public.hex(),
                "issuer_public": self.issuer_public.hex(),
                "mix_publics": [public.hex() for public in self.mix_publics],
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Collection:
        try:
            terms = json.loads(text)
            if terms.pop("version") != VERSION:
                raise ReportError(
                    f"This program speaks version {VERSION} of the protocol and the collection another; "
                    "update it."
                )
            numbers = {name: terms[name] for name in ("k", "inner_k", "payload_size", "inner_slots")}
            if any(type(number) is not int for number in numbers.values()) or not isinstance(
                terms["title"], str
            ):
                raise ReportError(
                    "A collection's k, inner_k, inner_slots and payload_size must be integers and its title "
                    "text; ask its operator."
                )
            keys = (bytes.fromhex(terms["voprf_public"]), bytes.fromhex(terms["issuer_public"]))
            return cls(
                title=terms["title"],
                voprf_public=keys[0],
                issuer_public=keys[1],
                mix_publics=tuple(map(bytes.fromhex, terms["mix_publics"])),
                **numbers,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ReportError(
                "A collection's terms must be a JSON object with title, k, inner_k, inner_slots, "
                "payload_size and public keys in hexadecimal."
            ) from error
