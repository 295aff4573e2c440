"""A small collection to attack: the real randomness and aggregation servers in this process, called without a
network.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from crowdlog.crowd.crypto.collection import MIN_K
from crowdlog.crowd.crypto.credential import Credential, accept_credential, request_credential
from crowdlog.crowd.crypto.envelope import MixKey, seal_onion
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report, ReportedArtifact, make_report
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.aggregation import AggregationServer
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.privacy.randomness import Randomness

K = MIN_K
# The attacker's word list: every pair of these. What the victims sent is in it, so a design that lets guesses
# be tested loses.
_WORDS = ("divorce", "lawyer", "debt", "clinic", "pregnancy", "test", "cheap", "near", "boston", "symptoms")
GUESSES = tuple(f"{first} {second}".encode() for first in _WORDS for second in _WORDS)
SECRET = b"pregnancy clinic"
_FLAT = {"inner_artifact": "", "inner_policy": ""}
_EVALUATIONS = 10 * len(GUESSES)  # the key's budget: the attacks must not fail for want of it


@dataclass(frozen=True)
class ProtocolTestbed:
    """The servers, the two mixes and one collection.

    `store`: the aggregation server's tables, which its owner can read.
    """

    randomness: Randomness
    server: RandomnessServer
    aggregation: AggregationServer
    store: CollectionStore
    mixes: tuple[MixKey, MixKey]
    manifest: Manifest

    def join(self) -> Credential:
        """Become a member by an invitation."""
        invitation = self.randomness.bytes(16).hex()
        self.store.invite(self.manifest.id, [invitation])
        pending = request_credential(self.manifest.collection, self.randomness)
        return accept_credential(
            pending,
            self.manifest.collection,
            self.aggregation.join(self.manifest.id, invitation, pending.request),
        )

    def evaluate(self, *primaries: bytes, level: int = 0) -> list[bytes]:
        """Ask the randomness server, as every client does; refused once the key is destroyed."""
        collection = self.manifest.collection
        blinded = [blind(collection.voprf_input(primary, level), self.randomness) for primary in primaries]
        answer = self.server.evaluate(collection.voprf_public.hex(), [item.element for item in blinded])
        return finalize(collection.voprf_public, blinded, Evaluation.from_bytes(answer))

    def report(self, credential: Credential, rand: bytes, primary: bytes = SECRET) -> bytes:
        return make_report(
            self.manifest.collection, credential, rand, ReportedArtifact(primary), self.randomness
        )

    def crowd(self, people: int, primary: bytes = SECRET) -> list[bytes]:
        """The reports of so many new members who hold the same artifact."""
        (rand,) = self.evaluate(primary)
        return [self.report(self.join(), rand, primary) for _ in range(people)]

    def nested_crowd(self, people: int, primary: bytes, inner: bytes) -> list[bytes]:
        """The reports of so many new members who hold the same query and inside it the same click."""
        (rand,), (inner_rand,), reports = self.evaluate(primary), self.evaluate(inner, level=1), []
        for credential in (self.join() for _ in range(people)):
            inside = make_report(
                self.manifest.collection,
                credential,
                inner_rand,
                ReportedArtifact(inner),
                self.randomness,
                level=1,
            )
            reports.append(
                make_report(
                    self.manifest.collection,
                    credential,
                    rand,
                    ReportedArtifact(primary),
                    self.randomness,
                    inside,
                )
            )
        return reports

    def open_uploads(self) -> None:
        """End the mining as the operator does: the randomness key is destroyed, then reports may come."""
        self.server.destroy_key(self.manifest.collection.voprf_public.hex())
        self.store.advance(self.manifest.id, "uploading")

    def send(self, reports: Sequence[bytes]) -> int:
        """Hand reports to the aggregation server as the last mix does; return how many it counted."""
        with suppress(Refused):
            envelopes = [
                seal_onion(self.manifest.collection.mix_publics[-1:], report, self.randomness)
                for report in reports
            ]
            return self.aggregation.take(envelopes)["accepted"]
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


@contextmanager
def run_testbed(randomness: Randomness, k: int = K, inner_k: int = 0) -> Iterator[ProtocolTestbed]:
    """Run the servers in a temporary folder for as long as the attack lasts.

    With an inner k clicks open inside queries.
    """
    with tempfile.TemporaryDirectory(prefix="crowdlog-attack-") as name:
        folder, common = Path(name), (randomness, randomness.bytes(32).hex(), Limits())
        with (
            closing(RandomnessServer(folder / "randomness", *common)) as server,
            closing(AggregationServer(folder / "aggregation", *common)) as aggregation,
            closing(CollectionStore(None, folder / "aggregation" / "aggregation.sqlite")) as store,
        ):
            mixes = (MixKey.generate(randomness), MixKey.generate(randomness))
            keys = {
                "voprf_public": bytes.fromhex(server.create_key(_EVALUATIONS)),
                "mix_publics": [mix.public for mix in mixes],
            }
            # RFC 2606: nobody is called
            places = {"randomness": "http://randomness.invalid", "mix": "http://mix.invalid"}
            mined = {
                "artifact": "query",
                "representation": "original",
                "limit": 50,
                "count": "users",
                "policy": f"FTu(k={k})",
            }
            mined |= (
                {"inner_artifact": "click", "inner_policy": f"FTu(k={inner_k}, artifact='click')"}
                if inner_k
                else _FLAT
            )
            sizes = {"k": k, "inner_k": inner_k, "inner_slots": 1, "payload_size": 128}
            manifest = aggregation.create({"title": "under attack", **sizes, **mined, **places, **keys})
            yield ProtocolTestbed(randomness, server, aggregation, store, mixes, manifest)
