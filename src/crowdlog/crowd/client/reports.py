"""From artifacts to what is sent: blinded randomness for each, then the report, then one envelope layer per
node of the way, then the proof that lets it in at the first mix.

Where the terms ask for cover, everybody has as many values evaluated and sends as many reports as the limit
allows. A cover report holds random bytes instead of an artifact: to whoever cannot open it, it is a report
like any other, and nobody shares it, so nobody can open it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field

from crowdlog.crowd.client.sample_artifacts import SampledArtifact
from crowdlog.crowd.crypto.credential import Credentials
from crowdlog.crowd.crypto.envelope import seal_onion
from crowdlog.crowd.crypto.report import ReportedArtifact, make_report
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.shuffle import shuffled
from crowdlog.crowd.slots import slot_request, submission
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

_REQUEST_ELEMENTS = 100  # values evaluated with one request
_COVER_BYTES = 32
_RAND_BYTES = 64  # of the PRF's value


@dataclass(frozen=True)
class Prepared:
    """One report on its way: the slot inside it, what it says, for its owner (nothing for a cover report),
    and the exact bytes that would leave.
    """

    slot: int
    readable: str = field(repr=False)
    submission: bytes = field(repr=False)


def seal(
    manifest: Manifest,
    credentials: Credentials,
    chosen: Sequence[SampledArtifact],
    server: Connection,
    randomness: Randomness,
) -> list[Prepared]:
    """Make the reports of these artifacts, and cover reports for the slots that are left.

    The randomness server sees blinded points only.
    """
    collection = manifest.collection
    outer = [collection.voprf_input(item.artifact.primary) for item in chosen]
    inside = [collection.voprf_input(pair.primary, 1) for item in chosen for pair in item.inner]
    rands = draw(manifest, credentials, outer, server, randomness)
    inner_rands = iter(draw(manifest, credentials, inside, server, randomness, 1))
    slots = shuffled(range(manifest.limit), randomness)
    doors = shuffled(range(manifest.limit), randomness)
    inner_slots = iter(shuffled(range(manifest.limit), randomness))
    prepared = []
    for item, rand, slot, door in zip(chosen, rands, slots, doors, strict=False):
        inner = b"".join(
            make_report(
                collection,
                credentials.report,
                next(inner_rands),
                pair,
                randomness,
                next(inner_slots),
                level=1,
            )
            for pair in item.inner
        )
        report = make_report(collection, credentials.report, rand, item.artifact, randomness, slot, inner)
        prepared.append(_prepared(manifest, credentials, (slot, door), item.readable, report, randomness))
    if manifest.cover:
        left = zip(slots[len(chosen) :], doors[len(chosen) :], strict=True)
        prepared += [cover(manifest, credentials, slot, door, randomness) for slot, door in left]
    return prepared


def cover(
    manifest: Manifest, credentials: Credentials, slot: int, door: int, randomness: Randomness
) -> Prepared:
    """A report of nothing, for a slot that has no artifact."""
    nothing = ReportedArtifact(randomness.bytes(_COVER_BYTES))
    rand = randomness.bytes(_RAND_BYTES)
    report = make_report(manifest.collection, credentials.report, rand, nothing, randomness, slot)
    return _prepared(manifest, credentials, (slot, door), "", report, randomness)


def _prepared(
    manifest: Manifest,
    credentials: Credentials,
    numbers: tuple[int, int],
    readable: str,
    report: bytes,
    randomness: Randomness,
) -> Prepared:
    """`numbers`: of the slot inside the report, which the aggregation server sees, and of the one that lets
    it in at the first mix. Each is drawn by itself, so that these two cannot match what they see.
    """
    slot, door = numbers
    collection = manifest.collection
    envelope = seal_onion(collection.mix_publics, report, randomness)
    packed = submission(collection, credentials.admission, door, envelope, randomness)
    return Prepared(slot, readable, packed)


def draw(
    manifest: Manifest,
    credentials: Credentials,
    inputs: Sequence[bytes],
    server: Connection,
    randomness: Randomness,
    level: int = 0,
) -> list[bytes]:
    """Have the oblivious PRF evaluated on these, one slot each; its proofs are checked.

    With cover as many values are asked for as the limit allows, so that their number says nothing.
    """
    collection = manifest.collection
    padded = list(inputs)
    if manifest.cover and level < collection.levels:
        padded += [randomness.bytes(_COVER_BYTES) for _ in range(manifest.limit - len(inputs))]
    slots = shuffled(range(manifest.limit), randomness)
    rands: list[bytes] = []
    for start in range(0, len(padded), _REQUEST_ELEMENTS):
        blinded = [blind(item, randomness) for item in padded[start : start + _REQUEST_ELEMENTS]]
        asked = [
            slot_request(collection, credentials.evaluation, slot, item.element, randomness, level)
            for item, slot in zip(blinded, slots[start:], strict=False)
        ]
        body = {"slots": [base64.b64encode(one).decode() for one in asked]}
        answer = server.call("POST", f"/collections/{manifest.id}/evaluate", body)
        rands += finalize(
            collection.voprf_public, blinded, Evaluation.from_bytes(decoded(answer, "evaluation"))
        )
    return rands[: len(inputs)]


def decoded(answer: dict[str, object], name: str) -> bytes:
    """Return the bytes of one field of a service's answer."""
    try:
        return base64.b64decode(str(answer[name]), validate=True)
    except (KeyError, binascii.Error) as error:
        raise InputError("The service's answer cannot be read; ask its operator.") from error
