"""A collection to attack as a system: every service a process of its own, every line watched by the owner of
its service, every volunteer at an address of her own.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from crowdlog.attacks.watched_line import WatchedLine
from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.collection import MIN_K
from crowdlog.crowd.crypto.envelope import MixKey, open_layer
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.operator import Operator, RemoteService, Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining, play_mining
from crowdlog.crowd.slots import SUBMISSION_OVERHEAD
from crowdlog.files.scratch import Scratch
from crowdlog.privacy.randomness import Randomness

POOL = 20
K = MIN_K
_POLL_SECONDS = 0.05
Arrival = tuple[str, float, list[str]]  # path and moment of a call, hashes of the envelopes in it


def volunteer_address(person: int) -> str:
    """An address of the loopback network for each volunteer; the first ones are the services'."""
    return f"127.1.{person // 250}.{1 + person % 250}"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class AttackedCollection:
    """One collection with its members. `submissions`: what each of them sends, by person."""

    manifest: Manifest
    credentials: list[bytes] = field(repr=False)
    submissions: list[list[bytes]] = field(default_factory=list, repr=False)

    @property
    def at(self) -> str:
        return f"/collections/{self.manifest.id}"


@dataclass
class CollectionTrial:
    """The services with the lines before them. `switch`: the file that turns old behaviour on.

    `attempts`: how often an attacker tries to isolate one volunteer before he turns to the next.
    """

    services: LocalServices
    lines: dict[str, WatchedLine]
    operator: Operator
    randomness: Randomness
    switch: Path
    attempts: int
    _read: dict[str, list[Arrival]] = field(default_factory=dict, repr=False)

    def restore(self, attack: str) -> None:
        """Let the services do what they did before this attack was known; on ours it changes nothing."""
        self.switch.write_text(attack)

    def collection(
        self, people: int, limit: int, upload_seconds: int, *, cover: bool = True
    ) -> AttackedCollection:
        """A new collection that so many people have joined."""
        terms = Terms(
            "under attack", K, limit=limit, payload_size=128, upload_seconds=upload_seconds, cover=cover
        )
        manifest, invitations = self.operator.create(terms, people)
        return AttackedCollection(manifest, play_joining(manifest.to_json(), invitations))

    def mine(self, target: AttackedCollection, texts: Sequence[Sequence[str]]) -> None:
        """Every member prepares reports of her texts, and cover up to her limit where the terms say so."""
        people = [
            (one, [MinedArtifact((text,), 1) for text in own])
            for one, own in zip(target.credentials, texts, strict=True)
        ]
        target.submissions = play_mining(target.manifest.to_json(), people)

    def open_uploads(self, target: AttackedCollection) -> None:
        self.operator.close(target.manifest.id)
        self.operator.wait_open(target.manifest.id)

    def send(self, target: AttackedCollection, submissions: Sequence[bytes], address: str) -> int:
        """Send submissions in one request; return the status of the answer."""
        body = {"submissions": [base64.b64encode(one).decode() for one in submissions]}
        return _call(address, "POST", f"{target.manifest.mixes[0].url}{target.at}/envelopes", body)

    def ask_phase(self, target: AttackedCollection, address: str, role: str) -> None:
        """Ask a service in which phase the collection is, as a client does before it sends."""
        party = next(one for one in target.manifest.parties if one.role == role)
        _call(address, "GET", f"{party.url}{target.at}")

    def key(self, name: str) -> MixKey:
        """The key that envelopes are opened with at a service, which its owner can read."""
        file = "envelope.key" if name == "aggregation" else "mix.key"
        return MixKey.from_bytes((self.services.folder / name / file).read_bytes())

    def layers(self, submission: bytes) -> tuple[bytes, bytes, bytes]:
        """What a submission looks like behind the first mix, behind the second, and opened at the end."""
        after_first = open_layer(self.key("mix1"), submission[SUBMISSION_OVERHEAD:])
        after_second = open_layer(self.key("mix2"), after_first)
        return after_first, after_second, open_layer(self.key("aggregation"), after_second)

    def arrivals(self, target: AttackedCollection, name: str) -> list[tuple[float, list[str]]]:
        """What came to a service from the mix before it: the moment, and what was in it, in order."""
        read, calls = self._read.setdefault(name, []), self.lines[name].calls
        for call in calls[len(read) :]:  # attackers look again and again: each call is read once
            envelopes = call.json()["envelopes"] if call.path.endswith("/batch") else []
            read.append((call.path, call.moment, [digest(base64.b64decode(one)) for one in envelopes]))
        return [(moment, part) for path, moment, part in read if path == f"{target.at}/batch"]

    def arrived(self, target: AttackedCollection) -> set[str]:
        """The different envelopes that have come to the aggregation server."""
        return {one for _moment, part in self.arrivals(target, "aggregation") for one in part}

    def seen(self, target: AttackedCollection) -> int:
        """How many different envelopes have come to the aggregation server."""
        return len(self.arrived(target))

    def wait_arrived(
        self,
        target: AttackedCollection,
        wanted: set[str],
        seconds: float,
        left: int = 0,
        pause: float = _POLL_SECONDS,
    ) -> bool:
        """Whether these envelopes have reached the aggregation server within this time, all but `left`."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if len(wanted - self.arrived(target)) <= left:
                return True
            time.sleep(pause)
        return False


def _call(address: str, method: str, url: str, body: dict[str, list[str]] | None = None) -> int:
    """Call a service once from this address, on a connection of its own; return the status."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.netloc, timeout=60, source_address=(address, 0))
    try:
        headers = {"Content-Type": "application/json"}
        connection.request(method, place.path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


@contextmanager
def run_trial(randomness: Randomness, *, old: bool) -> Iterator[CollectionTrial]:
    """Run the shipped services, or those whose repairs can be switched off, for as long as attacks last."""
    no_limits = ["--rate", "0"]
    mix = [*no_limits, "--pool", str(POOL), "--delay", "0"]
    options = {"randomness": [*no_limits, "--elements", "0"], "mix1": mix, "mix2": mix}
    options["aggregation"] = no_limits
    with Scratch("attack") as folder, ExitStack() as stack:
        switch = folder / "switch"
        program = ("-m", "crowdlog.attacks.old_services", str(switch)) if old else ("-m", "crowdlog.cli")
        services = stack.enter_context(LocalServices(folder / "services", options=options, program=program))
        lines = {one: stack.enter_context(WatchedLine(services.url(one))) for one in services.names}
        remote = {one: RemoteService(lines[one].url, services.token(one)) for one in services.names}
        mixes = [remote["mix1"], remote["mix2"]]
        operator = stack.enter_context(Operator(remote["randomness"], mixes, remote["aggregation"]))
        # Where the attack succeeds it ends at once, however busy the machine; where it fails it must end.
        yield CollectionTrial(services, lines, operator, randomness, switch, attempts=40 if old else 4)
