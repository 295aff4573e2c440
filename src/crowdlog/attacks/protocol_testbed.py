"""A small collection to attack: the real randomness server, mixes and aggregation server in this process,
called without a network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count

from crowdlog.crowd.crypto.collection import MIN_K
from crowdlog.crowd.crypto.credential import (
    Credentials,
    PendingCredential,
    accept_credential,
    request_credential,
)
from crowdlog.crowd.crypto.envelope import seal_onion
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report, ReportedArtifact, make_report
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.manifest import Manifest, Party
from crowdlog.crowd.operator import PartyKeys, Terms
from crowdlog.crowd.services.aggregation import AggregationServer
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.handover import batch_message
from crowdlog.crowd.services.identity import Identity
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.crowd.slots import slot_request
from crowdlog.files.scratch import Scratch
from crowdlog.privacy.randomness import Randomness

K = MIN_K
LIMIT = 200  # slots of one member: an attacker may try the whole word list
# The attacker's word list: every pair of these. What the victims sent is in it, so a design that lets guesses
# be tested loses.
_WORDS = ("divorce", "lawyer", "debt", "clinic", "pregnancy", "test", "cheap", "near", "boston", "symptoms")
GUESSES = tuple(f"{first} {second}".encode() for first in _WORDS for second in _WORDS)
SECRET = b"pregnancy clinic"
_FAR = 4_000_000_000  # mining ends when the test says so


@dataclass
class ProtocolTestbed:
    """The services and one collection.

    `store`: the aggregation server's tables, which its owner can read.
    """

    randomness: Randomness
    server: RandomnessServer
    mixes: tuple[MixNode, ...]
    aggregation: AggregationServer
    store: CollectionStore
    manifest: Manifest
    slots: Iterator[int] = field(default_factory=count)

    def join(self) -> Credentials:
        """Become a member by an invitation."""
        invitation = self.randomness.bytes(16).hex()
        self.store.invite(self.manifest.id, [invitation])
        pending = request_credential(self.manifest.collection, self.randomness)
        return self.admitted(pending, invitation)

    def admitted(self, pending: PendingCredential, invitation: str) -> Credentials:
        """Collect the credentials of the three issuers."""
        name, request = self.manifest.id, pending.request
        report, ticket = self.aggregation.join(name, invitation, request)
        answers = {
            "report": report,
            "evaluation": self.server.join(name, request, ticket),
            "admission": self.mixes[0].join(name, request, ticket),
        }
        collection = self.manifest.collection
        return Credentials(
            **{issuer: accept_credential(pending, collection, one, issuer) for issuer, one in answers.items()}
        )

    def fill(self) -> Credentials:
        """Let as many people join as the terms demand; return the last one's credentials."""
        return [self.join() for _ in range(self.manifest.smallest_crowd)][-1]

    def evaluate(
        self, *primaries: bytes, level: int = 0, credentials: Credentials | None = None
    ) -> list[bytes]:
        """Ask the randomness server as a member, from slot 0 on; refused once the key is destroyed."""
        collection = self.manifest.collection
        own = (credentials or self.fill()).evaluation
        blinded = [blind(collection.voprf_input(primary, level), self.randomness) for primary in primaries]
        asked = [
            slot_request(collection, own, slot, item.element, self.randomness, level)
            for slot, item in enumerate(blinded)
        ]
        answer = self.server.evaluate(self.manifest.id, asked)
        return finalize(collection.voprf_public, blinded, Evaluation.from_bytes(answer))

    def report(self, credentials: Credentials, rand: bytes, primary: bytes = SECRET) -> bytes:
        return make_report(
            self.manifest.collection,
            credentials.report,
            rand,
            ReportedArtifact(primary),
            self.randomness,
            self.next_slot(),
        )

    def next_slot(self) -> int:
        """A slot that no report of this test bed has used: whose it is does not matter here."""
        return next(self.slots) % LIMIT

    def crowd(self, people: int, primary: bytes = SECRET) -> list[bytes]:
        """The reports of so many new members who hold the same artifact."""
        (rand,) = self.evaluate(primary)
        return [self.report(self.join(), rand, primary) for _ in range(people)]

    def nested_crowd(self, people: int, primary: bytes, inner: bytes) -> list[bytes]:
        """The reports of so many new members who hold the same query and inside it the same click."""
        (rand,), (inner_rand,), reports = self.evaluate(primary), self.evaluate(inner, level=1), []
        collection = self.manifest.collection
        for credentials in (self.join() for _ in range(people)):
            slot = self.next_slot()
            own, click = credentials.report, ReportedArtifact(inner)
            inside = make_report(collection, own, inner_rand, click, self.randomness, slot, level=1)
            outer = ReportedArtifact(primary)
            reports.append(make_report(collection, own, rand, outer, self.randomness, slot, inside))
        return reports

    def open_uploads(self) -> None:
        """End the mining as the operator does: the randomness key is destroyed, then reports may come."""
        self.server.destroy(self.manifest.id)
        self.store.advance(self.manifest.id, "uploading")

    def send(self, reports: Sequence[bytes]) -> int:
        """Hand reports to the aggregation server as the last mix does; return how many it counted."""
        publics = self.manifest.collection.mix_publics[-1:]
        envelopes = [seal_onion(publics, report, self.randomness) for report in reports]
        signature = self.mixes[-1].identity.signing.sign("batch", batch_message(self.manifest, envelopes))
        with suppress(Refused):
            return self.aggregation.take(self.manifest.id, envelopes, signature)["accepted"]
        return 0

    def opened(self) -> dict[bytes, int]:
        """What the aggregation server would publish: artifacts and how many people sent them."""
        groups = self.store.groups(self.manifest.id, self.manifest.collection.k)
        found = (
            open_group([Report.parse(report) for report in group], self.manifest.collection)
            for group in groups
        )
        return {group.artifact: group.people for group in found if group is not None}

    def publish(self, reports: Sequence[bytes]) -> dict[bytes, int]:
        """Open the uploads, send the reports and return what opens."""
        self.open_uploads()
        self.send(reports)
        return self.opened()


def register_everywhere(
    terms: Terms,
    server: RandomnessServer,
    mixes: Sequence[MixNode],
    aggregation: AggregationServer,
    mining_until: int = _FAR,
) -> Manifest:
    """Make the keys of a collection and have every service agree to it, without a network."""
    voprf_public, evaluation_issuer = server.make_keys()
    # RFC 2606: nobody is called
    named: list[tuple[str, Identity, str]] = [("randomness", server.identity, "randomness.invalid")]
    named += [("mix", mix.identity, f"mix{number}.invalid") for number, mix in enumerate(mixes, 1)]
    named += [("aggregation", aggregation.identity, "aggregation.invalid")]
    parties = [Party(role, url=f"http://{host}", **who.as_json()) for role, who, host in named]
    keys = PartyKeys(
        voprf_public=bytes.fromhex(voprf_public),
        report_issuer=aggregation.identity.make_issuer(),
        evaluation_issuer=evaluation_issuer,
        admission_issuer=mixes[0].identity.make_issuer(),
        mix_publics=(*(mix.public for mix in mixes), aggregation.public),
    )
    manifest = terms.manifest(parties, keys, mining_until)
    aggregation.register(manifest)
    for mix in mixes:
        mix.register(manifest)
    server.register(manifest)
    return manifest


@contextmanager
def run_testbed(randomness: Randomness, k: int = K, inner_k: int = 0) -> Iterator[ProtocolTestbed]:
    """Run the services in a temporary folder for as long as the attack lasts.

    With an inner k clicks open inside queries.
    """
    terms = Terms("under attack", k, limit=LIMIT, payload_size=128, cover=False, smallest_crowd=k + 1)
    if inner_k:
        terms = replace(terms, inner_artifact="click", inner_k=inner_k, inner_slots=1)
    with Scratch("attack") as folder, ExitStack() as stack:
        common = (randomness, randomness.bytes(32).hex(), Limits())
        server = stack.enter_context(closing(RandomnessServer(folder / "randomness", *common)))
        mixes = tuple(
            stack.enter_context(closing(MixNode(folder / f"mix{number}", *common))) for number in (1, 2)
        )
        aggregation = stack.enter_context(closing(AggregationServer(folder / "aggregation", *common)))
        store = stack.enter_context(closing(CollectionStore(None, folder / "aggregation", randomness)))
        manifest = register_everywhere(terms, server, mixes, aggregation)
        yield ProtocolTestbed(randomness, server, mixes, aggregation, store, manifest)
