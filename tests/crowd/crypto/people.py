"""A small crowd with all its keys, for tests."""

from itertools import count

from crowdlog.crowd.crypto.collection import ISSUERS, Collection
from crowdlog.crowd.crypto.credential import (
    Credentials,
    IssuerKey,
    PendingCredential,
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

    def __init__(
        self,
        people: int,
        k: int = 5,
        inner_k: int = 0,
        seed: int = 1,
        terms: bytes = bytes(32),
        slots: int = 1,
    ) -> None:
        self.randomness = SeededRandomness(seed)
        self.voprf = VoprfKey.generate(self.randomness)
        self.issuers = {name: IssuerKey.generate(self.randomness) for name in ISSUERS}
        self.issuer = self.issuers["report"]
        self.mixes = [MixKey.generate(self.randomness) for _ in range(3)]
        self.collection = Collection(
            terms=terms,
            k=k,
            limit=10_000,
            voprf_public=self.voprf.public,
            **{f"{name}_issuer": key.public for name, key in self.issuers.items()},
            mix_publics=tuple(mix.public for mix in self.mixes),
            inner_k=inner_k,
            inner_slots=slots,
        )
        self.credentials = [self.join() for _ in range(people)]
        self._slots = count()

    def answers(self, request: bytes) -> dict[str, bytes]:
        """The answer of each issuer to a request."""
        return {
            name: issue_credential(key, self.collection.id, request, self.randomness, name)
            for name, key in self.issuers.items()
        }

    def accepted(self, pending: PendingCredential) -> Credentials:
        answers = self.answers(pending.request)
        return Credentials(
            **{
                name: accept_credential(pending, self.collection, answer, name)
                for name, answer in answers.items()
            }
        )

    def join(self) -> Credentials:
        return self.accepted(request_credential(self.collection, self.randomness))

    def rand(self, primary: bytes, level: int = 0) -> bytes:
        return self.voprf.output(self.collection.voprf_input(primary, level))

    def report(
        self,
        person: int,
        primary: bytes,
        secondary: bytes = b"",
        inner: bytes = b"",
        level: int = 0,
        slot: int | None = None,
    ) -> Report:
        """A report of one person, in a slot that nobody used before unless one is given."""
        rand = self.rand(primary, level)
        return Report.parse(
            make_report(
                self.collection,
                self.credentials[person].report,
                rand,
                ReportedArtifact(primary, secondary),
                self.randomness,
                next(self._slots) if slot is None else slot,
                inner,
                level,
            )
        )

    def reports(self, people: int, primary: bytes) -> list[Report]:
        return [self.report(person, primary) for person in range(people)]
