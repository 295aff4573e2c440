"""One process plays many clients over real HTTP.

Apart from `simulate`, so that such a process starts without the engine that mines.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client.reports import decoded, seal
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.crypto.credential import accept_credential, request_credential
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.request_chunks import request_chunks
from crowdlog.privacy.randomness import SystemRandomness

Person = tuple[str, list[MinedArtifact]]  # her invitation and her artifacts


def play_mining(
    manifest_json: dict[str, Any], aggregation_url: str, people: Sequence[Person]
) -> list[list[bytes]]:
    """Join and prepare the envelopes of some clients."""
    manifest, randomness = Manifest.from_json(manifest_json), SystemRandomness()
    envelopes = []
    with Connection(aggregation_url) as aggregation, Connection(manifest.randomness) as server:
        for invitation, found in people:
            pending = request_credential(manifest.collection, randomness)
            body = {"invitation": invitation, "request": base64.b64encode(pending.request).decode()}
            answer = aggregation.call("POST", f"/collections/{manifest.id}/credentials", body)
            credential = accept_credential(pending, manifest.collection, decoded(answer, "credential"))
            chosen = sample_artifacts(manifest, found, randomness).chosen
            envelopes.append(
                [envelope for _readable, envelope in seal(manifest, credential, chosen, server, randomness)]
            )
    return envelopes


def play_sending(mix_url: str, people: Sequence[list[bytes]]) -> list[int]:
    """Send the envelopes of some clients, each client's by themselves; return how many the mix counted."""
    counted = []
    with Connection(mix_url) as mix:
        for part in (part for envelopes in people for part in request_chunks(envelopes, len)):
            answer = mix.call(
                "POST",
                "/envelopes",
                {"envelopes": [base64.b64encode(envelope).decode() for envelope in part]},
            )
            counted.append(int(answer["accepted"]))
    return counted
