"""A collection on real services, each a process of its own, with members that make real reports."""

import base64
import time
from dataclasses import dataclass, field

import httpx

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.envelope import MixKey, open_layer
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.operator import Operator, Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining, play_mining
from crowdlog.crowd.slots import Submission
from crowdlog.privacy.randomness import SystemRandomness

RANDOM = SystemRandomness()
K = 5
NO_LIMITS = ["--rate", "0"]


def options(pool: int = 1000, delay: float = 0.1, **more: list[str]) -> dict[str, list[str]]:
    """Options of the services of a trial without limits; further ones by name."""
    mix = [*NO_LIMITS, "--pool", str(pool), "--delay", str(delay)]
    base = {
        "randomness": [*NO_LIMITS, "--elements", "0"],
        "mix1": mix,
        "mix2": mix,
        "aggregation": NO_LIMITS,
    }
    return {name: [*values, *more.get(name, [])] for name, values in base.items()}


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


@dataclass
class Volunteers:
    """The members of one collection."""

    services: LocalServices
    operator: Operator
    terms: Terms
    people: int = K
    credentials: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.manifest: Manifest
        self.manifest, self.invitations = self.operator.create(self.terms, self.people)

    @property
    def at(self) -> str:
        return f"/collections/{self.manifest.id}"

    def join(self) -> None:
        self.credentials = play_joining(self.manifest.to_json(), self.invitations)

    def mine(self, found: list[list[MinedArtifact]]) -> list[list[bytes]]:
        """What each member sends."""
        return play_mining(self.manifest.to_json(), list(zip(self.credentials, found, strict=True)))

    def layers(self, submission: bytes) -> list[bytes]:
        """What a submission looks like behind each mix, and the report at last: with everybody's keys."""
        opened = [Submission.parse(submission).envelope]
        for name in self.services.names[1:]:
            file = "envelope.key" if name == "aggregation" else "mix.key"
            key = MixKey.from_bytes((self.services.folder / name / file).read_bytes())
            opened.append(open_layer(key, opened[-1]))
        return opened[1:]

    def open_uploads(self) -> None:
        self.operator.close(self.manifest.id)
        self.operator.wait_open(self.manifest.id)

    def call(self, name: str, method: str, path: str, body=None, operator: bool = True) -> httpx.Response:
        """Call a service once, without trying again."""
        headers = {"Authorization": f"Bearer {self.services.token(name)}"} if operator else {}
        return httpx.request(method, self.services.url(name) + path, json=body, headers=headers, timeout=120)

    def send(self, submissions: list[bytes]) -> httpx.Response:
        body = {"submissions": [base64_of(one) for one in submissions]}
        return self.call("mix1", "POST", f"{self.at}/envelopes", body, operator=False)

    def wait(self, phase: str, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while self.call("aggregation", "GET", self.at).json().get("phase") != phase:
            assert time.monotonic() < deadline
            time.sleep(0.1)
