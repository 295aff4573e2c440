"""What a client shows with each value she has evaluated and each envelope she sends: one of her numbered
slots.

Everybody has as many slots as the collection's limit, with each service and at each level. The pseudonym of a
slot is always the same for its owner, and nothing links it to her other slots.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.credential import SHOWN_SIZE, Credential, pseudonym, show, unchanged
from crowdlog.crowd.crypto.group import SIZE, ReportError
from crowdlog.privacy.randomness import Randomness

SLOT_REQUEST_SIZE = 1 + 4 + SIZE + SIZE + SHOWN_SIZE
SUBMISSION_OVERHEAD = 4 + SIZE + SHOWN_SIZE


@dataclass(frozen=True)
class SlotRequest:
    """One blinded element, to be evaluated for one slot."""

    level: int
    slot: int
    element: bytes = field(repr=False)
    name: bytes = field(repr=False)
    proof: bytes = field(repr=False)

    @classmethod
    def parse(cls, data: bytes) -> SlotRequest:
        if len(data) != SLOT_REQUEST_SIZE:
            raise ReportError(f"A slot's request has {SLOT_REQUEST_SIZE} bytes, got {len(data)}.")
        head = 5
        return cls(
            data[0],
            int.from_bytes(data[1:head], "big"),
            data[head : head + SIZE],
            data[head + SIZE : head + 2 * SIZE],
            data[head + 2 * SIZE :],
        )


def slot_request(
    collection: Collection,
    credential: Credential,
    slot: int,
    element: bytes,
    randomness: Randomness,
    level: int = 0,
) -> bytes:
    """Ask for an element's evaluation with one of one's slots."""
    context = collection.slot_context("evaluation", slot, level)
    name = pseudonym(credential, context)
    proof = show(credential, [(context, name)], element, randomness)
    return bytes([level]) + slot.to_bytes(4, "big") + element + name + proof


@dataclass(frozen=True)
class Submission:
    """One envelope, let in by one slot."""

    slot: int
    name: bytes = field(repr=False)
    proof: bytes = field(repr=False)
    envelope: bytes = field(repr=False)

    @classmethod
    def parse(cls, data: bytes) -> Submission:
        if len(data) <= SUBMISSION_OVERHEAD:
            raise ReportError(f"A submission has more than {SUBMISSION_OVERHEAD} bytes, got {len(data)}.")
        head = 4
        return cls(
            int.from_bytes(data[:head], "big"),
            data[head : head + SIZE],
            data[head + SIZE : SUBMISSION_OVERHEAD],
            data[SUBMISSION_OVERHEAD:],
        )


def submission(
    collection: Collection, credential: Credential, slot: int, envelope: bytes, randomness: Randomness
) -> bytes:
    """Let an envelope in at the first mix with one of one's slots."""
    context = collection.slot_context("admission", slot)
    name = pseudonym(credential, context)
    return (
        slot.to_bytes(4, "big") + name + show(credential, [(context, name)], envelope, randomness) + envelope
    )


def is_whole(collection: Collection, data: bytes) -> bool:
    """Whether the bytes of a submission are still those that were made."""
    try:
        one = Submission.parse(data)
        named = [(collection.slot_context("admission", one.slot), one.name)]
    except ReportError:
        return False
    return unchanged(one.proof, named, one.envelope)
