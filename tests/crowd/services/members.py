"""A small crowd for tests: all services in this process, called without a network, and members that make real
reports.
"""

import io
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pyarrow.parquet as pq

from crowdlog.attacks.protocol_testbed import register_everywhere
from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client.participate import ask_aggregation, collect_credentials
from crowdlog.crowd.client.reports import Prepared, seal
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.crypto.credential import Credentials, request_credential
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.aggregation import AggregationServer
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.handover import batch_message
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.crowd.slots import Submission
from crowdlog.privacy.randomness import SystemRandomness
from tests.crowd.services.calling import AppClient

TOKEN = "operator-token-of-the-tests-0123456789"
OPERATOR = {"Authorization": f"Bearer {TOKEN}"}
UNLIMITED = Limits(requests_per_second=0)
RANDOM = SystemRandomness()


class Direct:
    """Stands in for a Connection: calls an application in this process."""

    def __init__(self, client: AppClient, headers: dict | None = None) -> None:
        self.client, self.headers = client, headers or {}

    def call(self, method, path, body=None):
        answer = self.client.request(method, path, json=body, headers=self.headers)
        assert answer.is_success, answer.text
        return answer.json()

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        return None


def signed_batch(mix: MixNode, manifest: Manifest, envelopes: list[bytes]) -> dict:
    """What a mix posts to the next node."""
    signature = mix.identity.signing.sign("batch", batch_message(manifest, envelopes))
    return {"envelopes": [to_base64(one) for one in envelopes], "signature": to_base64(signature)}


def counted(answer: httpx.Response) -> dict:
    """What a service counts of a batch, without its receipt."""
    return {name: value for name, value in answer.json().items() if name != "receipt"}


@dataclass
class SmallCrowd:
    """A randomness server, two mixes and an aggregation server with one collection."""

    folder: Path
    database_url: str | None = None
    k: int = 5
    count: str = "impressions"
    more: dict = field(default_factory=dict)  # further terms of the collection

    def __enter__(self):
        common = (RANDOM, TOKEN, UNLIMITED)
        self.server = RandomnessServer(
            self.folder / "randomness", *common, elements_per_second=0, owner="the randomness people"
        )
        self.mixes = [
            MixNode(self.folder / f"mix{number}", *common, pool=2, delay=0.0, owner=f"mix people {number}")
            for number in (1, 2)
        ]
        self.aggregation = AggregationServer(
            self.folder / "aggregation", *common, self.database_url, owner="the aggregation people"
        )
        self.client = AppClient(self.aggregation.app())
        self.client.__enter__()
        self.randomness = AppClient(self.server.app())
        self.mix = AppClient(self.mixes[0].app())
        self.manifest = self.create()
        return self

    def __exit__(self, *_exc):
        self.client.__exit__(None, None, None)
        self.server.close()
        for mix in self.mixes:
            mix.close()

    def terms(self, **changes) -> Terms:
        base = Terms("test", self.k, limit=50, count=self.count, payload_size=128, cover=False)
        return replace(base, **{**self.more, **changes})

    def create(self, **changes) -> Manifest:
        """Make a collection; enough people join for evaluations."""
        manifest = register_everywhere(self.terms(**changes), self.server, self.mixes, self.aggregation)
        for _ in range(manifest.smallest_crowd):
            self.stranger(manifest)
        return manifest

    def stranger(self, manifest: Manifest) -> None:
        """Somebody joins at the randomness server only, and does nothing else."""
        pending = request_credential(manifest.collection, RANDOM)
        message = manifest.collection.id + pending.request[:32]
        ticket = self.aggregation.identity.signing.sign("ticket", message)
        self.server.join(manifest.id, pending.request, ticket)

    @property
    def at(self) -> str:
        return f"/collections/{self.manifest.id}"

    def connect(self, url: str) -> Direct:
        """The service at one of the addresses of the terms."""
        clients = {
            "http://randomness.invalid": self.randomness,
            "http://mix1.invalid": self.mix,
            "http://mix2.invalid": AppClient(self.mixes[1].app()),
            "http://aggregation.invalid": self.client,
        }
        return Direct(clients[url])

    def invite(self, count: int) -> list[str]:
        return self.client.post(f"{self.at}/invitations", json={"count": count}, headers=OPERATOR).json()[
            "invitations"
        ]

    def member(self, invitation: str | None = None) -> Credentials:
        pending = request_credential(self.manifest.collection, RANDOM)
        token = invitation or self.invite(1)[0]
        admitted = ask_aggregation(self.manifest, token, pending, Direct(self.client))
        return collect_credentials(
            self.manifest, pending, admitted, Direct(self.randomness), Direct(self.mix)
        )

    def prepared(
        self,
        credentials: Credentials,
        artifacts: dict[str, int],
        inside: dict[tuple[str, str], int] | None = None,
    ) -> list[Prepared]:
        """This member's reports of queries with their impressions, and of clicks or pairs inside them."""
        pairs = [MinedArtifact(texts, times) for texts, times in (inside or {}).items()]
        found = [
            MinedArtifact((text,), times, tuple(pair for pair in pairs if pair.texts[0] == text))
            for text, times in artifacts.items()
        ]
        chosen = sample_artifacts(self.manifest, found, RANDOM).chosen
        return seal(self.manifest, credentials, chosen, Direct(self.randomness), RANDOM)

    def envelopes(self, *arguments) -> list[bytes]:
        """The same as the last mix passes it on."""
        sealed = [Submission.parse(item.submission).envelope for item in self.prepared(*arguments)]
        for mix in self.mixes:
            sealed = [open_layer(mix._key, envelope) for envelope in sealed]
        return sealed

    def open_uploads(self) -> None:
        """The randomness key is destroyed, and the services see its certificate."""
        self.server.destroy(self.manifest.id)
        state = self.server.state(self.manifest.id)
        for mix in self.mixes:
            mix._batches.open(self.manifest.id, state["destroyed"], state["certificate"])
        self.aggregation._store.advance(self.manifest.id, "uploading")

    def send(self, envelopes: list[bytes]):
        return self.client.post(
            f"{self.at}/batch", json=signed_batch(self.mixes[1], self.manifest, envelopes)
        )

    def end(self) -> None:
        """The last mix says that it is empty."""
        signature = self.mixes[1].identity.signing.sign("final", self.manifest.collection.id)
        answer = self.client.post(f"{self.at}/final", json={"signature": to_base64(signature)})
        assert answer.json()["phase"] != "uploading", answer.text

    def statistics(self) -> list[dict]:
        """What the mixes sign once they have ended."""
        for mix in self.mixes:
            mix._batches.end(self.manifest.id)
        return [mix.statistics(self.manifest.id) for mix in self.mixes]

    def publish(self):
        body = {"statistics": self.statistics()}
        return self.client.post(f"{self.at}/publish", json=body, headers=OPERATOR)

    def wait(self, phase: str) -> None:
        deadline = time.monotonic() + 120
        while self.client.get(self.at).json()["phase"] != phase:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def tables(self) -> dict[str, list[dict]]:
        """End the uploads, publish, wait, and return the rows of each table of the crowd log."""
        self.end()
        assert self.publish().status_code == 202
        self.wait("ready")
        assert self.client.post(f"{self.at}/release", headers=OPERATOR).status_code == 200
        files = self.client.get(f"{self.at}/release").json()["files"]
        return {
            name: pq.read_table(io.BytesIO(self.client.get(f"{self.at}/release/{name}").content)).to_pylist()
            for name in files
            if name.endswith(".parquet")
        }

    def published(self) -> list[dict]:
        return self.tables()["queries.parquet"]

    def status(self) -> dict:
        return self.client.get(f"{self.at}/status", headers=OPERATOR).json()
