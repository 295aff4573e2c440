"""From artifacts to sealed reports: blinded randomness for each, then the report, then one envelope layer per
node of the way.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from crowdlog.crowd.client.sample_artifacts import SampledArtifact
from crowdlog.crowd.crypto.credential import Credential
from crowdlog.crowd.crypto.envelope import seal_onion
from crowdlog.crowd.crypto.report import make_report
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

# Elements of one request to the randomness server: always whole requests of at most this many.
_REQUEST_ELEMENTS = 200


def seal(
    manifest: Manifest,
    credential: Credential,
    chosen: Sequence[SampledArtifact],
    server: Connection,
    randomness: Randomness,
) -> list[tuple[str, bytes]]:
    """Return (readable, envelope) for each artifact. The randomness server sees blinded points only."""
    collection, sealed = manifest.collection, []
    inputs = [
        collection.voprf_input(part.primary, level)
        for item in chosen
        for level, parts in enumerate(((item.artifact,), item.inner))
        for part in parts
    ]
    rands = iter(draw(manifest, inputs, server, randomness))
    for item in chosen:
        rand = next(rands)
        inner = b"".join(
            make_report(collection, credential, next(rands), pair, randomness, level=1) for pair in item.inner
        )
        report = make_report(collection, credential, rand, item.artifact, randomness, inner)
        sealed.append((item.readable, seal_onion(collection.mix_publics, report, randomness)))
    return sealed


def draw(
    manifest: Manifest, inputs: Sequence[bytes], server: Connection, randomness: Randomness
) -> list[bytes]:
    """Have the oblivious PRF evaluated on these; its proofs are checked."""
    public, rands = manifest.collection.voprf_public, []
    for start in range(0, len(inputs), _REQUEST_ELEMENTS):
        blinded = [blind(item, randomness) for item in inputs[start : start + _REQUEST_ELEMENTS]]
        body = {"elements": [base64.b64encode(item.element).decode() for item in blinded]}
        answer = server.call("POST", f"/keys/{public.hex()}/evaluate", body)
        rands += finalize(public, blinded, Evaluation.from_bytes(decoded(answer, "evaluation")))
    return rands


def decoded(answer: dict[str, object], name: str) -> bytes:
    """Return the bytes of one field of a service's answer."""
    try:
        return base64.b64decode(str(answer[name]), validate=True)
    except (KeyError, binascii.Error) as error:
        raise InputError("The service's answer cannot be read; ask its operator.") from error
