"""A collection on one aggregation server, with members whose reports are handed to it directly: no mixes, the
randomness key is the test's own.
"""

import base64
from dataclasses import dataclass, field

from crowdlog.crowd.client.reports import decoded
from crowdlog.crowd.crypto.credential import Credential, accept_credential, request_credential
from crowdlog.crowd.crypto.envelope import seal_onion
from crowdlog.crowd.crypto.report import ReportedArtifact, make_report
from crowdlog.crowd.crypto.voprf import VoprfKey
from crowdlog.crowd.manifest import Manifest
from crowdlog.privacy.randomness import SystemRandomness
from tests.support.serving import Served

RANDOM = SystemRandomness()
K = 5


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


@dataclass
class Volunteers:
    """The members of one collection; `payload` makes reports as large as needed."""

    server: Served
    payload: int = 128
    voprf: VoprfKey = field(default_factory=lambda: VoprfKey.generate(RANDOM))

    def __post_init__(self) -> None:
        terms = {
            "artifact": "query",
            "representation": "original",
            "limit": 50,
            "count": "users",
            "policy": f"FTu(k={K})",
        }
        flat = {"inner_k": 0, "inner_slots": 1, "inner_artifact": "", "inner_policy": ""}
        keys = {"voprf_public": base64_of(self.voprf.public), "mix_publics": [base64_of(bytes([1]) * 32)] * 2}
        body = {
            "title": "test",
            "k": K,
            "payload_size": self.payload,
            **terms,
            **flat,
            **keys,
            "randomness": "http://r",
            "mix": "http://m",
        }
        answer = self.server.call("POST", "/collections", body)
        assert answer.status_code == 201, answer.text
        self.manifest = Manifest.from_json(answer.json()["manifest"])

    @property
    def at(self) -> str:
        return f"/collections/{self.manifest.id}"

    def join(self) -> Credential:
        invitation = self.server.call("POST", f"{self.at}/invitations", {"count": 1}).json()["invitations"][0]
        pending = request_credential(self.manifest.collection, RANDOM)
        answer = self.server.call(
            "POST",
            f"{self.at}/credentials",
            {"invitation": invitation, "request": base64_of(pending.request)},
        )
        assert answer.status_code == 201, answer.text
        return accept_credential(pending, self.manifest.collection, decoded(answer.json(), "credential"))

    def envelope(self, credential: Credential, text: str) -> bytes:
        rand = self.voprf.output(self.manifest.collection.voprf_input(text.encode()))
        report = make_report(
            self.manifest.collection, credential, rand, ReportedArtifact(text.encode()), RANDOM
        )
        return seal_onion(self.manifest.collection.mix_publics[-1:], report, RANDOM)

    def send(self, envelopes: list[bytes]):
        return self.server.call(
            "POST",
            "/envelopes",
            {"envelopes": [base64_of(envelope) for envelope in envelopes]},
            operator=False,
        )

    def status(self) -> dict:
        return self.server.call("GET", f"{self.at}/status").json()
