"""A small crowd for tests: services in this process, called without a network, and members that make real
reports.
"""

from dataclasses import dataclass, field
from pathlib import Path

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client.reports import decoded, seal
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.crypto.credential import Credential, accept_credential, request_credential
from crowdlog.crowd.crypto.envelope import MixKey, open_layer
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.aggregation import AggregationServer
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.privacy.randomness import SystemRandomness
from tests.crowd.services.calling import AppClient

TOKEN = "operator-token-of-the-tests-0123456789"
OPERATOR = {"Authorization": f"Bearer {TOKEN}"}
UNLIMITED = Limits(requests_per_second=0)
RANDOM = SystemRandomness()


def terms(**changes):
    """The body of a request that creates a collection."""
    k = changes.get("k", 5)
    return {
        "title": "test",
        "k": k,
        "payload_size": 128,
        "artifact": "query",
        "representation": "original",
        "limit": 50,
        "count": "impressions",
        "policy": f"FTu(k={k})",
        "inner_k": 0,
        "inner_slots": 1,
        "inner_artifact": "",
        "inner_policy": "",
        "voprf_public": to_base64(bytes(32)),
        "randomness": "http://randomness",
        "mix_publics": [to_base64(bytes([1]) * 32)] * 2,
        "mix": "http://mix",
        **changes,
    }


class Direct:
    """Stands in for a Connection: calls an application in this process."""

    def __init__(self, client: AppClient, headers: dict | None = None) -> None:
        self.client, self.headers = client, headers or {}

    def call(self, method, path, body=None):
        answer = self.client.request(method, path, json=body, headers=self.headers)
        assert answer.is_success, answer.text
        return answer.json()


@dataclass
class SmallCrowd:
    """An aggregation and a randomness server with one collection.

    The two mixes are only keys: their layers are taken off here.
    """

    folder: Path
    database_url: str | None = None
    k: int = 5
    count: str = "impressions"
    more: dict = field(default_factory=dict)  # further terms of the collection
    mixes: list = field(default_factory=lambda: [MixKey.generate(RANDOM), MixKey.generate(RANDOM)])

    def __enter__(self):
        self.aggregation = AggregationServer(
            self.folder / "aggregation", RANDOM, TOKEN, UNLIMITED, self.database_url
        )
        self.client = AppClient(self.aggregation.app())
        self.client.__enter__()
        self._server = RandomnessServer(
            self.folder / "randomness", RANDOM, TOKEN, UNLIMITED, elements_per_second=0
        )
        self.randomness = AppClient(self._server.app())
        self.voprf = self._server.create_key(10_000)
        changes = {
            "voprf_public": to_base64(bytes.fromhex(self.voprf)),
            "mix_publics": [to_base64(mix.public) for mix in self.mixes],
        }
        self.manifest = self.create(**changes)
        return self

    def __exit__(self, *_exc):
        self.client.__exit__(None, None, None)
        self._server.close()

    def create(self, **changes) -> Manifest:
        answer = self.client.post(
            "/collections",
            json=terms(**{"k": self.k, "count": self.count, **self.more, **changes}),
            headers=OPERATOR,
        )
        assert answer.status_code == 201, answer.text
        return Manifest.from_json(answer.json()["manifest"])

    @property
    def at(self) -> str:
        return f"/collections/{self.manifest.id}"

    def invite(self, count: int) -> list[str]:
        return self.client.post(f"{self.at}/invitations", json={"count": count}, headers=OPERATOR).json()[
            "invitations"
        ]

    def member(self, invitation: str | None = None) -> Credential:
        pending = request_credential(self.manifest.collection, RANDOM)
        body = {"invitation": invitation or self.invite(1)[0], "request": to_base64(pending.request)}
        answer = self.client.post(f"{self.at}/credentials", json=body)
        assert answer.status_code == 201, answer.text
        return accept_credential(pending, self.manifest.collection, decoded(answer.json(), "credential"))

    def envelopes(
        self,
        credential: Credential,
        artifacts: dict[str, int],
        inside: dict[tuple[str, str], int] | None = None,
    ) -> list[bytes]:
        """What the last mix passes on: this member's reports of some queries with their impressions, and of
        clicks or pairs inside them.
        """
        pairs = [MinedArtifact(texts, times) for texts, times in (inside or {}).items()]
        found = [
            MinedArtifact((text,), times, tuple(pair for pair in pairs if pair.texts[0] == text))
            for text, times in artifacts.items()
        ]
        chosen = sample_artifacts(self.manifest, found, RANDOM).chosen
        sealed = [
            envelope
            for _readable, envelope in seal(
                self.manifest, credential, chosen, Direct(self.randomness), RANDOM
            )
        ]
        for mix in self.mixes:
            sealed = [open_layer(mix, envelope) for envelope in sealed]
        return sealed

    def open_uploads(self) -> None:
        assert self.client.post(f"{self.at}/uploads", headers=OPERATOR).json() == {"phase": "uploading"}

    def send(self, envelopes: list[bytes]):
        return self.client.post(
            "/envelopes", json={"envelopes": [to_base64(envelope) for envelope in envelopes]}
        )

    def status(self) -> dict:
        return self.client.get(f"{self.at}/status", headers=OPERATOR).json()
