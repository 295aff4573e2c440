"""One process plays many clients over real HTTP.

Apart from `simulate`, so that such a process starts without the engine that mines.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client.participate import ask_aggregation, collect_credentials
from crowdlog.crowd.client.reports import seal
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.crypto.credential import Credentials, request_credential
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.privacy.randomness import SystemRandomness

Person = tuple[bytes, list[MinedArtifact]]  # her credentials and her artifacts


def play_joining(manifest_json: dict[str, Any], invitations: Sequence[str]) -> list[bytes]:
    """Join with each of these invitations; return the credentials."""
    manifest, randomness = Manifest.from_json(manifest_json), SystemRandomness()
    joined = []
    with (
        Connection(manifest.aggregation.url) as aggregation,
        Connection(manifest.randomness.url) as server,
        Connection(manifest.mixes[0].url) as mix,
    ):
        for invitation in invitations:
            pending = request_credential(manifest.collection, randomness)
            admitted = ask_aggregation(manifest, invitation, pending, aggregation)
            joined.append(collect_credentials(manifest, pending, admitted, server, mix).to_bytes())
    return joined


def play_mining(manifest_json: dict[str, Any], people: Sequence[Person]) -> list[list[bytes]]:
    """Prepare what some clients send."""
    manifest, randomness = Manifest.from_json(manifest_json), SystemRandomness()
    submissions = []
    with Connection(manifest.randomness.url) as server:
        for credentials, found in people:
            chosen = sample_artifacts(manifest, found, randomness).chosen
            own = Credentials.from_bytes(credentials)
            prepared = seal(manifest, own, chosen, server, randomness)
            submissions.append([item.submission for item in prepared])
    return submissions


def play_sending(manifest_json: dict[str, Any], submissions: Sequence[bytes]) -> list[int]:
    """Send submissions, each by itself; return how many the mix counted."""
    manifest = Manifest.from_json(manifest_json)
    counted = []
    with Connection(manifest.mixes[0].url) as mix:
        for one in submissions:
            body = {"submissions": [base64.b64encode(one).decode()]}
            answer = mix.call("POST", f"/collections/{manifest.id}/envelopes", body)
            counted.append(int(answer["accepted"]))
    return counted
