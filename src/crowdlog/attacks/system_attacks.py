"""Attacks on the system around the cryptography, on real processes. True: the attack succeeds.

A1 to A8 are the attacks that broke version 1. Each runs on the shipped services and on services whose repair
is switched off (old_services.py), where it must succeed: an attack that never can shows nothing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from crowdlog.attacks.collection_trial import POOL, AttackedCollection, CollectionTrial, K, digest
from crowdlog.attacks.collection_trial import volunteer_address as address_of
from crowdlog.attacks.protocol_testbed import GUESSES, SECRET
from crowdlog.crowd.client.participate import Link, look
from crowdlog.crowd.crypto.credential import SHOWN_SIZE
from crowdlog.crowd.crypto.derive import root_of, tag_of
from crowdlog.crowd.crypto.envelope import seal_onion
from crowdlog.crowd.crypto.group import BASE
from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.slots import SUBMISSION_OVERHEAD
from crowdlog.errors import CrowdlogError, PrivacyRefusal
from crowdlog.files.scratch import Scratch

OUTSIDER = "127.9.9.9"
_WINDOW = 5  # seconds of uploads where nothing depends on them
_PATIENCE = 0.5  # seconds until an attacker tries again
_OTHER_POLICY = "Zealous(epsilon=0.1, delta=1e-06, d=1, keep='random')"


def lost_reports(trial: CollectionTrial) -> bool:
    """A1: an outsider posts one envelope with nothing inside; is anything acknowledged lost?"""
    target = _mined(trial, people=8, limit=2)
    trial.open_uploads(target)
    acknowledged = 0
    for person, own in enumerate(target.submissions):
        acknowledged += len(own) * (trial.send(target, own, address_of(person)) == 202)
    trial.send(target, [bytes(SUBMISSION_OVERHEAD) + _empty(trial, target)], OUTSIDER)
    _publish(trial, target)
    received = int(trial.operator.status(target.manifest.id)["received"])
    return received < acknowledged


def _empty(trial: CollectionTrial, target: AttackedCollection) -> bytes:
    return seal_onion(target.manifest.collection.mix_publics[:1], b"", trial.randomness)


def traced_by_the_aggregation_server(trial: CollectionTrial) -> bool:
    """A2: clients ask the aggregation server for the phase, then send all they have; one person's reports
    fill a batch of her own.
    """
    return _traced(trial, limit=POOL + 2, isolate=lambda _target: None)


def traced_by_the_operator(trial: CollectionTrial) -> bool:
    """A3: the operator empties both mixes after each volunteer."""

    def isolate(target: AttackedCollection) -> None:
        for mix in trial.operator.mixes:
            tried(mix, f"{target.at}/drain")

    return _traced(trial, limit=3, isolate=isolate)


def traced_by_an_outsider(trial: CollectionTrial) -> bool:
    """A4: somebody who never joined fills up each volunteer's batch with junk."""
    return _traced(trial, limit=3, isolate=lambda target: junk(trial, target, POOL - 3))


def junk(trial: CollectionTrial, target: AttackedCollection, number: int) -> int:
    """Post envelopes that pass both mixes and hold noise; return the status of the answer."""
    collection = target.manifest.collection
    noise = [trial.randomness.bytes(collection.report_size()) for _ in range(number)]
    envelopes = [seal_onion(collection.mix_publics, one, trial.randomness) for one in noise]
    return trial.send(target, [bytes(SUBMISSION_OVERHEAD) + one for one in envelopes], OUTSIDER)


def tried(service: Connection, path: str) -> bool:
    """Make a call that may well be refused; return whether it was not."""
    try:
        service.call("POST", path, {})
    except CrowdlogError:
        return False
    return True


def _traced(trial: CollectionTrial, *, limit: int, isolate: Callable[[AttackedCollection], object]) -> bool:
    """Volunteers as they were: each tells the aggregation server that she comes, and sends all at once. Is
    every report that arrives the last caller's?
    """
    target = _mined(trial, people=K + 1, limit=limit, upload_seconds=600)
    trial.open_uploads(target)
    owner: dict[str, str] = {}
    for person, own in enumerate(target.submissions):
        sent = {digest(trial.layers(one)[1]): address_of(person) for one in own}
        owner |= sent
        trial.ask_phase(target, address_of(person), "aggregation")
        trial.send(target, own, address_of(person))
        for _ in range(trial.attempts):
            isolate(target)
            if trial.wait_arrived(target, set(sent), _PATIENCE):
                break
    return sum(last_caller_is_right(trial, target, owner)) > 0.9 * len(owner)


def last_caller_is_right(
    trial: CollectionTrial, target: AttackedCollection, owner: dict[str, str]
) -> list[bool]:
    """For each report that reached the aggregation server: is it of whoever called that server last?"""
    callers = [
        (call.moment, call.address)
        for call in trial.lines["aggregation"].calls
        if call.method == "GET" and call.path == target.at and call.address != "127.0.0.1"
    ]
    right = []
    for moment, part in trial.arrivals(target, "aggregation"):
        last = [address for called, address in callers if called < moment][-1:]
        right += [last == [owner[one]] for one in part if one in owner]
    return right


def opened_alone(trial: CollectionTrial) -> bool:
    """A5: a collection for one person, whose operator has guesses evaluated and recognises her report."""
    target = trial.collection(1, len(GUESSES), _WINDOW)
    values = _guessed(trial, target)
    try:
        trial.mine(target, [[SECRET.decode()]] * len(target.credentials))
    except CrowdlogError:  # nothing is evaluated for less than the smallest crowd
        return False
    reports = [Report.parse(trial.layers(one)[2]) for one in target.submissions[0]]
    context = target.manifest.collection.context()
    known = {
        tag_of(root_of(rand, context), context, guess): guess
        for guess, rand in zip(GUESSES, values, strict=False)
    }
    return SECRET in [known.get(report.tag) for report in reports]


def _guessed(trial: CollectionTrial, target: AttackedCollection) -> list[bytes]:
    """Have guesses evaluated with slots that no credential stands for; nothing if that is refused."""
    collection = target.manifest.collection
    blinded = [blind(collection.voprf_input(guess), trial.randomness) for guess in GUESSES]
    try:
        answer = _evaluated(target, [item.element for item in blinded])
    except CrowdlogError:
        return []
    return finalize(collection.voprf_public, blinded, Evaluation.from_bytes(answer))


def _evaluated(target: AttackedCollection, elements: list[bytes]) -> bytes:
    slots = [
        bytes([0]) + slot.to_bytes(4, "big") + element + BASE + bytes(SHOWN_SIZE)
        for slot, element in enumerate(elements)
    ]
    body = {"slots": [base64.b64encode(slot).decode() for slot in slots]}
    with Connection(target.manifest.randomness.url, retries=0) as server:
        answer = server.call("POST", f"{target.at}/evaluate", body)
    return base64.b64decode(str(answer["evaluation"]))


def read_after_deletion(trial: CollectionTrial) -> bool:
    """A6: after everything was published and deleted, the files of the services are read byte by byte."""
    target = _mined(trial, people=K, limit=2)
    trial.open_uploads(target)
    for person, own in enumerate(target.submissions):
        trial.send(target, own, address_of(person))
    _publish(trial, target)
    traces = {bytes(part) for own in target.submissions for one in own for part in trial.layers(one)}
    stored = b"".join(path.read_bytes() for path in trial.services.folder.rglob("*") if path.is_file())
    return any(trace in stored for trace in traces)


def used_up(trial: CollectionTrial) -> bool:
    """A7: somebody without an invitation has values evaluated until there are none left for members."""
    target = trial.collection(K, 2, _WINDOW)
    noise = [blind(b"%d" % number, trial.randomness).element for number in range(100)]
    for _ in range(5):
        try:
            _evaluated(target, noise)
        except CrowdlogError:
            break
    try:
        trial.mine(target, [[SECRET.decode()]] * len(target.credentials))
    except CrowdlogError:
        return True
    return False


class UnboundManifest(Manifest):
    """Terms as a client of version 1 read them: what the id does not cover is believed."""

    def __post_init__(self) -> None:
        """Check nothing."""


def other_terms(trial: CollectionTrial, *, old: bool) -> bool:
    """A8: the server shows another policy under the same id; does the client take it for the terms?"""
    manifest, (invitation,) = trial.operator.create(Terms("under attack", K, limit=2), 1)
    line = trial.lines["aggregation"]

    def lie(path: str, answer: bytes) -> bytes:
        if path != f"/collections/{manifest.id}":
            return answer
        value: dict[str, Any] = json.loads(answer)
        value["manifest"]["policy"] = _OTHER_POLICY
        return json.dumps(value).encode()

    honest, line.rewrite = line.rewrite, lie
    try:
        with Connection(line.url) as server:
            shown_terms = _looked(Link(line.url, manifest.id, invitation), server, old=old)
    except PrivacyRefusal:
        return False
    finally:
        line.rewrite = honest
    return shown_terms.policy == _OTHER_POLICY and shown_terms.id == manifest.id


def _looked(link: Link, server: Connection, *, old: bool) -> Manifest:
    if not old:
        return look(link, server)
    return UnboundManifest.from_json(server.call("GET", f"/collections/{link.collection_id}")["manifest"])


def _mined(
    trial: CollectionTrial, *, people: int, limit: int, upload_seconds: int = _WINDOW
) -> AttackedCollection:
    target = trial.collection(people, limit, upload_seconds)
    trial.mine(target, [[SECRET.decode()]] * len(target.credentials))
    return target


def _publish(trial: CollectionTrial, target: AttackedCollection) -> None:
    with Scratch("attack") as name:
        trial.operator.publish(target.manifest.id, name / "crowdlog")
