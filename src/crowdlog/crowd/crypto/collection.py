"""What everybody must agree on: a collection, named by the hash of all its terms, so that nobody can be told
another k, another key or another purpose unnoticed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from crowdlog.crowd.crypto.group import SIZE, ReportError, frame
from crowdlog.errors import PrivacyRefusal

VERSION = 2
# the client's floor: the k a review board approved for releases (Feild 2013, section 6.5); less is a group of
# friends
MIN_K = 5
MAX_K = 1000  # keeps a client's work (k coefficients per artifact) and an opening's (k² products) small
MIN_LAYERS = 3  # two mixes and the aggregation server
MAX_LAYERS = 10
MIN_PAYLOAD, MAX_PAYLOAD = 64, 4096
MAX_SLOTS = 16  # inner reports of one report
MAX_LIMIT = 10**6  # reports of one person
MAX_REPORT = 16_384  # bytes
PAYLOAD_OVERHEAD = 38  # root and three lengths: what an artifact cannot use of the payload
HEADER_SIZE = 340  # of a report, docs/protocol.md
AEAD_TAG = 16  # Poly1305
DIGEST_SIZE = 32
# Who issues one of the three MACs of a credential: the aggregation server lets a report be counted, the
# randomness server an artifact be evaluated, the first mix an envelope in.
ISSUERS = ("report", "evaluation", "admission")
_NUMBERS = ("k", "inner_k", "payload_size", "inner_slots", "limit")


@dataclass(frozen=True)
class Collection:
    """The terms of one collection that go into the cryptography.

    `terms`: SHA-256 of all other terms (what is mined, who runs the services, what people agree to), so that
    the id names these too. `limit`: most reports of one person, at each level. `inner_k` 0 means one
    threshold; otherwise a report has room for `inner_slots` that open at `inner_k`.
    """

    terms: bytes
    k: int
    limit: int
    voprf_public: bytes
    report_issuer: bytes
    evaluation_issuer: bytes
    admission_issuer: bytes
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
                "Reports must pass two mixes before the aggregation server, "
                f"got {len(self.mix_publics)} keys instead of {MIN_LAYERS}."
            )
        if (
            max(self.k, self.inner_k) > MAX_K
            or len(self.mix_publics) > MAX_LAYERS
            or not MIN_PAYLOAD <= self.payload_size <= MAX_PAYLOAD
            or not 1 <= self.limit <= MAX_LIMIT
        ):
            raise ReportError(
                f"A collection allows k up to {MAX_K}, up to {MAX_LAYERS} layers, {MIN_PAYLOAD} to "
                f"{MAX_PAYLOAD} "
                f"bytes of payload and a limit of 1 to {MAX_LIMIT}, got {max(self.k, self.inner_k)}, "
                f"{len(self.mix_publics)}, {self.payload_size} and {self.limit}."
            )
        if not 1 <= self.inner_slots <= MAX_SLOTS or self.report_size() > MAX_REPORT:
            raise ReportError(
                f"A collection has room for 1 to {MAX_SLOTS} inner reports and reports of at most "
                f"{MAX_REPORT} "
                f"bytes, got {self.inner_slots} and {self.report_size()}; ask its operator."
            )
        issuers = (self.report_issuer, self.evaluation_issuer, self.admission_issuer)
        keys = [self.voprf_public, *self.mix_publics]
        sizes_fit = {len(key) for key in keys} == {SIZE} and {len(key) for key in issuers} == {2 * SIZE}
        if not sizes_fit or len(self.terms) != DIGEST_SIZE:
            raise ReportError(
                "A collection needs public keys of 32 bytes (64 for each issuer) and a digest of 32 bytes "
                "of its "
                "other terms; ask its operator."
            )

    @cached_property
    def id(self) -> bytes:
        """32 bytes that name all terms."""
        inner = self.inner_k.to_bytes(2, "big")
        if self.inner_k:
            inner += self.inner_slots.to_bytes(2, "big")
        numbers = (
            VERSION.to_bytes(2, "big"),
            self.k.to_bytes(2, "big"),
            inner,
            self.payload_size.to_bytes(2, "big"),
            self.limit.to_bytes(4, "big"),
        )
        issuers = (self.report_issuer, self.evaluation_issuer, self.admission_issuer)
        return hashlib.sha256(
            b"crowdlog-v2-collection"
            + frame(self.terms, *numbers, self.voprf_public, *issuers, *self.mix_publics)
        ).digest()

    @property
    def levels(self) -> int:
        return 2 if self.inner_k else 1

    def bar(self, level: int = 0) -> int:
        """How many people a group of this level needs."""
        if not 0 <= level < self.levels:
            raise ReportError(f"This collection has {self.levels} level(s), got level {level}.")
        return self.inner_k if level else self.k

    def context(self, level: int = 0) -> bytes:
        """What every derivation is bound to: version, level, collection and threshold."""
        self.bar(level)  # refuses a level that there is not
        return self._contexts[level]

    @cached_property
    def _contexts(self) -> list[bytes]:
        """The context of each level, made once: every report is compared with one."""
        bars = [self.bar(level) for level in range(self.levels)]
        return [bytes([VERSION, level]) + self.id + bar.to_bytes(2, "big") for level, bar in enumerate(bars)]

    def slot_context(self, issuer: str, slot: int, level: int = 0) -> bytes:
        """What a person's pseudonym for one of her `limit` slots with one of the issuers is bound to."""
        if issuer not in ISSUERS or not 0 <= slot < self.limit:
            raise ReportError(f"A slot must be a number from 0 to {self.limit - 1}, got {slot}.")
        return self.context(level) + issuer.encode() + slot.to_bytes(4, "big")

    def issuer(self, name: str) -> bytes:
        """The public key of one of the three issuers."""
        return {
            "report": self.report_issuer,
            "evaluation": self.evaluation_issuer,
            "admission": self.admission_issuer,
        }[name]

    def voprf_input(self, primary: bytes, level: int = 0) -> bytes:
        return self.context(level) + primary

    def payload(self, level: int = 0) -> int:
        """Bytes of a payload before encryption: the same for every report of a level, so that lengths tell
        nothing.
        """
        return self.report_size(level) - HEADER_SIZE - AEAD_TAG

    def report_size(self, level: int = 0) -> int:
        """Bytes of a report of this level."""
        self.bar(level)  # refuses a level that there is not
        return self._report_sizes[level]

    @cached_property
    def _report_sizes(self) -> list[int]:
        """Made once: every report is compared with one."""
        inner = HEADER_SIZE + self.payload_size + AEAD_TAG
        return [inner + self.inner_slots * inner, inner] if self.inner_k else [inner]

    def to_json(self) -> str:
        return json.dumps(
            {
                "version": VERSION,
                "terms": self.terms.hex(),
                **{name: getattr(self, name) for name in _NUMBERS},
                "voprf_public": self.voprf_public.hex(),
                **{f"{name}_issuer": self.issuer(name).hex() for name in ISSUERS},
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
            numbers = {name: terms[name] for name in _NUMBERS}
            if any(type(number) is not int for number in numbers.values()):
                raise ReportError(f"A collection's {', '.join(_NUMBERS)} must be integers; ask its operator.")
            return cls(
                terms=bytes.fromhex(terms["terms"]),
                voprf_public=bytes.fromhex(terms["voprf_public"]),
                report_issuer=bytes.fromhex(terms["report_issuer"]),
                evaluation_issuer=bytes.fromhex(terms["evaluation_issuer"]),
                admission_issuer=bytes.fromhex(terms["admission_issuer"]),
                mix_publics=tuple(map(bytes.fromhex, terms["mix_publics"])),
                **numbers,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ReportError(
                f"A collection's terms must be a JSON object with {', '.join(_NUMBERS)} and public keys in "
                "hexadecimal."
            ) from error
