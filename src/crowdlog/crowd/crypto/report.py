"""A report: one person's share of one artifact.

Its bytes are described in docs/protocol.md; this file writes, reads and checks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from crowdlog.crowd.crypto.batch_showing import Showing, shown_all
from crowdlog.crowd.crypto.collection import (
    AEAD_TAG,
    HEADER_SIZE,
    MAX_REPORT,
    MIN_K,
    MIN_PAYLOAD,
    PAYLOAD_OVERHEAD,
    VERSION,
    Collection,
)
from crowdlog.crowd.crypto.credential import Credential, IssuerKey, Named, pseudonym, show
from crowdlog.crowd.crypto.derive import ROOT_SIZE, key_of, polynomial, root_of, share_point, tag_of
from crowdlog.crowd.crypto.group import ReportError, decode_scalar, encode_scalar
from crowdlog.crowd.crypto.shamir import value
from crowdlog.privacy.randomness import Randomness

CONTEXT = slice(0, 36)
TAG = slice(36, 68)
PSEUDONYM = slice(68, 100)
SHARE = slice(100, 132)
SLOT = slice(132, 136)
SLOT_NAME = slice(136, 168)
NONCE = slice(168, 180)
SHOWN = slice(180, HEADER_SIZE)


@dataclass(frozen=True)
class ReportedArtifact:
    """What a person has in common with others: `primary` groups, `secondary` is readable only where the
    primary is.
    """

    primary: bytes = field(repr=False)
    secondary: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Report:
    """The bytes of a well-formed report, with names for their parts."""

    data: bytes = field(repr=False)

    @classmethod
    def parse(cls, data: bytes) -> Report:
        """Accept any bytes, return a report or raise ReportError.

        Whether it belongs to a collection is `check_report`'s question.
        """
        if not HEADER_SIZE + MIN_PAYLOAD + AEAD_TAG <= len(data) <= MAX_REPORT:
            raise ReportError(
                f"A report has {HEADER_SIZE + MIN_PAYLOAD + AEAD_TAG} to {MAX_REPORT} bytes, got {len(data)}."
            )
        report = cls(bytes(data))
        if data[0] != VERSION or report.level > 1 or report.k < MIN_K:
            raise ReportError(
                f"A report must be of version {VERSION}, level 0 or 1 and k ≥ {MIN_K}, got {data[0]}, "
                f"{report.level} and {report.k}."
            )
        decode_scalar(data[SHARE])
        return report

    def to_bytes(self) -> bytes:
        return self.data

    @property
    def context(self) -> bytes:
        return self.data[CONTEXT]

    @property
    def level(self) -> int:
        return self.data[1]

    @property
    def collection(self) -> bytes:
        return self.data[2:34]

    @property
    def k(self) -> int:
        return int.from_bytes(self.data[34:36], "big")

    @property
    def tag(self) -> bytes:
        return self.data[TAG]

    @property
    def group(self) -> bytes:
        """What reports are grouped by, 33 bytes: the level and the tag (a liar may write a tag of the other
        level).
        """
        return self.data[1:2] + self.data[TAG]

    @property
    def pseudonym(self) -> bytes:
        return self.data[PSEUDONYM]

    @property
    def slot(self) -> int:
        """Which of her `limit` places its sender used."""
        return int.from_bytes(self.data[SLOT], "big")

    @property
    def slot_name(self) -> bytes:
        """Her pseudonym for that place: two reports with one slot name are one person's, over her limit."""
        return self.data[SLOT_NAME]

    @property
    def share(self) -> tuple[int, int]:
        return share_point(self.data[PSEUDONYM]), int.from_bytes(self.data[SHARE], "little")

    def decrypt(self, cipher: ChaCha20Poly1305) -> bytes:
        """The payload; raises cryptography's InvalidTag under a wrong key."""
        return cipher.decrypt(self.data[NONCE], self.data[HEADER_SIZE:], self.data[: NONCE.start])


@dataclass(frozen=True)
class Payload:
    """What a report says once it can be read."""

    root: bytes = field(repr=False)
    artifact: ReportedArtifact
    inner: bytes = field(repr=False)

    def to_bytes(self, size: int) -> bytes:
        fields = (self.artifact.primary, self.artifact.secondary, self.inner)
        room = size - PAYLOAD_OVERHEAD - sum(map(len, fields))
        if room < 0:
            raise ReportError(
                f"The artifact needs {-room} bytes more than a report of this collection holds; leave it out."
            )
        return self.root + b"".join(len(item).to_bytes(2, "big") + item for item in fields) + bytes(room)

    @classmethod
    def parse(cls, data: bytes) -> Payload:
        fields, position = [], ROOT_SIZE
        for _ in range(3):
            end = position + 2 + int.from_bytes(data[position : position + 2], "big")
            fields.append(data[position + 2 : end])
            position = end
        if position > len(data) or any(data[position:]):
            raise ReportError("A payload's lengths do not add up or its padding is not zero.")
        return cls(data[:ROOT_SIZE], ReportedArtifact(fields[0], fields[1]), fields[2])


def make_report(
    collection: Collection,
    credential: Credential,
    rand: bytes,
    artifact: ReportedArtifact,
    randomness: Randomness,
    slot: int,
    inner: bytes = b"",
    level: int = 0,
) -> bytes:
    """The report of one artifact; `rand`: the PRF's value of `collection.voprf_input(artifact.primary,
    level)`; `slot`: a number below the limit that the person uses once at this level; `inner`: some reports
    of level 1, joined.
    """
    context, k = collection.context(level), collection.bar(level)
    if inner and (
        level
        or not collection.inner_k
        or len(inner) % collection.report_size(1)
        or len(inner) > collection.payload() - collection.payload_size
    ):
        raise ReportError(
            f"Only a report of level 0 in a nested collection can hold some of level 1, got {len(inner)} "
            f"bytes at level {level}."
        )
    root = root_of(rand, context)
    tag = tag_of(root, context, artifact.primary)
    coefficients = polynomial(root, context, k)
    name = pseudonym(credential, context + tag)
    slot_context = collection.slot_context("report", slot, level)
    slot_name = pseudonym(credential, slot_context)
    share = encode_scalar(value(coefficients, share_point(name)))
    head = context + tag + name + share + slot.to_bytes(4, "big") + slot_name
    nonce = randomness.bytes(12)
    payload = Payload(root, artifact, inner).to_bytes(collection.payload(level))
    sealed = ChaCha20Poly1305(key_of(coefficients[0], context, tag)).encrypt(nonce, payload, head)
    named = [(context + tag, name), (slot_context, slot_name)]
    return head + nonce + show(credential, named, head + nonce + sealed, randomness) + sealed


def check_report(report: Report, collection: Collection, key: IssuerKey, level: int = 0) -> None:
    """Raise ReportError unless the report was made for this collection and level by the holder of one of its
    credentials.

    Reports that arrive are of level 0; those of level 1 come out of opened ones only.
    """
    check_form(report, collection, level)
    if not showing_of(report, collection, level).holds(key):
        raise ReportError(
            "The report carries no valid credential of this collection; join first, and send it unchanged."
        )


def check_form(report: Report, collection: Collection, level: int = 0) -> None:
    """Raise ReportError unless the report is written for this collection and level."""
    if report.collection != collection.id:
        raise ReportError("The report belongs to another collection; send it there.")
    if report.context != collection.context(level):
        raise ReportError(
            f"The report claims level {report.level} and k = {report.k}, expected are level {level} and k = "
            f"{collection.bar(level)}."
        )
    if len(report.data) != collection.report_size(level):
        raise ReportError(
            f"A report of this collection has {collection.report_size(level)} bytes, got {len(report.data)}."
        )


def credible(
    reports: Sequence[Report], collection: Collection, key: IssuerKey, randomness: Randomness, level: int = 0
) -> list[Report]:
    """Those of many reports that `check_report` lets pass, checked together."""
    formed = []
    for report in reports:
        with suppress(ReportError):
            check_form(report, collection, level)
            showing = showing_of(report, collection, level)
            formed.append((report, showing))
    verdicts = shown_all(key, [showing for _report, showing in formed], randomness)
    return [report for (report, _showing), good in zip(formed, verdicts, strict=True) if good]


def showing_of(report: Report, collection: Collection, level: int) -> Showing:
    """The proof that a report carries, with what it speaks of."""
    return Showing(report.data[SHOWN], _named(report, collection, level), _message(report))


def _named(report: Report, collection: Collection, level: int) -> Named:
    """What a report's proof speaks of: the pseudonym for its artifact and the one for its slot."""
    slot_context = collection.slot_context("report", report.slot, level)
    return [(report.context + report.tag, report.pseudonym), (slot_context, report.slot_name)]


def _message(report: Report) -> bytes:
    return report.data[: SHOWN.start] + report.data[HEADER_SIZE:]


def group_reports(reports: Iterable[Report]) -> dict[bytes, list[Report]]:
    """Reports by level and tag."""
    groups: dict[bytes, list[Report]] = {}
    for report in reports:
        groups.setdefault(report.group, []).append(report)
    return groups
