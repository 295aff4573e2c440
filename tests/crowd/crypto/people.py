"""A small crowd with all its keys, for tests."""

from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.credential import (
    Credential,
    IssuerKey,
    accept_credential,
    issue_credential,
    request_credential,
)
from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.crowd.crypto.report import Report, ReportedArtifact, make_report
from crowdlog.crowd.crypto.voprf import VoprfKey
from crowdlog.privacy.randomness import SeededRandomness


class Crowd:
    """A collection and the credentials of some volunteers."""

    def __init__(self, people: int, k: int = 5, inner_k: int = 0, seed: int = 1, title: str = "test") -> None:
        self.randomness = SeededRandomness(seed)
        self.voprf = VoprfKey.generate(self.randomness)
        self.issuer = IssuerKey.generate(self.randomness)
        self.mixes = [MixKey.generate(self.randomness) for _ in range(3)]
        self.collection = Collection(
            title, k, self.voprf.public, self.issuer.public, tuple(mix.public for mix in self.mixes), inner_k
        )
        self.credentials = [self.join() for _ in range(people)]

    def join(self) -> Credential:
        pending = request_credential(self.collection, self.randomness)
        return accept_credential(
            pending,
            self.collection,
            issue_credential(self.issuer, self.collection.id, pending.request, self.randomness),
        )

    def rand(self, primary: bytes, level: int = 0) -> bytes:
        return self.voprf.output(self.collection.voprf_input(primary, level))

    def report(
        self, person: int, primary: bytes, secondary: bytes = b"", inner: bytes = b"", level: int = 0
    ) -> Report:
        rand = self.rand(primary, level)
        return Report.parse(
            make_report(
                self.collection,
                self.credentials[person],
                rand,
                ReportedArtifact(primary, secondary),
                self.randomness,
                inner,
                level,
            )
        )

    def reports(self, people: int, primary: bytes) -> list[Report]:
        return [self.report(person, primary) for person in range(people)]
