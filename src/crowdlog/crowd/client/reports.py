"""From artifacts to sealed reports: blinded randomness for each, then the report, then one envelope layer per node of the way."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field

from crowdlog.crowd.artifact import Found, primary, secondary
from crowdlog.crowd.crypto.collection import PAYLOAD_OVERHEAD
from crowdlog.crowd.crypto.credential import Credential
from crowdlog.crowd.crypto.envelope import seal_onion
from crowdlog.crowd.crypto.report import Artifact, make_report
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.shuffle import shuffled
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

# Elements of one request to the randomness server: always whole requests of at most this many.
_REQUEST_ELEMENTS = 200


@dataclass(frozen=True)
class Chosen:
    """An artifact that will be reported, as its owner reads it and as the report holds it."""

    readable: str = field(repr=False)
    artifact: Artifact


def choose(manifest: Manifest, found: Sequence[Found], randomness: Randomness) -> tuple[list[Chosen], int]:
    """Choose at most `limit` artifacts at random; return them with the number of those too long for a report."""
    room = manifest.collection.payload_size - PAYLOAD_OVERHEAD
    fitting, too_long = [], 0
    for item in found:
        name, extra = primary(item.texts), secondary(item.impressions, manifest.count)
        if name is None or len(name) + len(extra) > room:
            too_long += 1
            continue
        times = f"  ({item.impressions} times)" if manifest.count == "impressions" else ""
        fitting.append(Chosen(" | ".join(item.texts) + times, Artifact(name, extra)))
    return shuffled(fitting, randomness)[: manifest.limit], too_long


def seal(manifest: Manifest, credential: Credential, chosen: Sequence[Chosen], server: Connection, randomness: Randomness) -> list[tuple[str, bytes]]:
    """Return (readable, envelope) for each artifact. The randomness server sees blinded points only."""
    sealed = []
    for start in range(0, len(chosen), _REQUEST_ELEMENTS):
        part = chosen[start : start + _REQUEST_ELEMENTS]
        for item, rand in zip(part, draw(manifest, [item.artifact.primary for item in part], server, randomness), strict=True):
            report = make_report(manifest.collection, credential, rand, item.artifact, randomness)
            sealed.append((item.readable, seal_onion(manifest.collection.mix_publics, report, randomness)))
    return sealed


def draw(manifest: Manifest, primaries: Sequence[bytes], server: Connection, randomness: Randomness) -> list[bytes]:
    """Have the oblivious PRF evaluated on these; its proof is checked."""
    collection = manifest.collection
    blinded = [blind(collection.voprf_input(name), randomness) for name in primaries]
    body = {"elements": [base64.b64encode(item.element).decode() for item in blinded]}
    answer = server.call("POST", f"/keys/{collection.voprf_public.hex()}/evaluate", body)
    return finalize(collection.voprf_public, blinded, Evaluation.from_bytes(decoded(answer, "evaluation")))


def decoded(answer: dict[str, object], name: str) -> bytes:
    """Return the bytes of one field of a service's answer."""
    try:
        return base64.b64decode(str(answer[name]), validate=True)
    except (KeyError, binascii.Error) as error:
        raise InputError("The service's answer cannot be read; ask its operator.") from error
