"""Requests that once were good, changed at random, to every call of every service in every phase of a
collection: each is answered below 500, in one sentence that repeats nothing of what was sent.

What the mixes sign is signed again after it was changed, so that it comes past the first check.
"""

import base64
import copy
import json
import os
import random

import pytest

from crowdlog.crowd.crypto.credential import request_credential
from crowdlog.crowd.crypto.voprf import blind
from crowdlog.crowd.services.aggregation import AggregationServer
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.crowd.slots import slot_request
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, TOKEN, UNLIMITED, SmallCrowd, signed_batch

SEED = int(os.environ.get("CROWDLOG_FUZZ_SEED", "18"))
CHANGES = int(os.environ.get("CROWDLOG_FUZZ_CHANGES", "12"))  # of each request in each phase
CANARY = "canary-of-the-sender"
ODD = [None, True, -1, 0, 2**63, 2**70, 1e308, -0.0, 0.5, "", "\x00", "\ud800", CANARY, "A" * 5000, [], {}]
ODD += [[[]], [None], {"": CANARY}, "=" * 8, "é", "0" * 64, -(2**31), "127.0.0.1"]
RAW = [
    b"",
    b"{",
    b"\xff\xfe",
    b"[" * 3000,
    b'{"a": NaN}',
    b'{"a": 1e999}',
    b"null",
    b"1" * 5000,
    b'"' + b"x" * 99,
]


class Changer:
    """Changes JSON values and the bytes inside their base64."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def changed(self, value):
        """A copy with one place in it changed."""
        value = copy.deepcopy(value)
        places = list(_places(value))
        if not places or self.draw.random() < 0.05:
            return self.draw.choice(ODD)
        holder, key = self.draw.choice(places)
        if self.draw.random() < 0.1 and isinstance(holder, dict):
            holder.pop(key) if self.draw.random() < 0.5 else holder.update({CANARY: 1})
        elif isinstance(holder[key], str) and self.draw.random() < 0.7:
            holder[key] = self._text(holder[key])
        elif isinstance(holder[key], list) and self.draw.random() < 0.5:
            holder[key] = self.draw.choice([holder[key] * 2, [], holder[key][:1] * 3])
        else:
            holder[key] = self.draw.choice(ODD)
        return value

    def _text(self, text: str) -> str:
        try:
            data = bytearray(base64.b64decode(text, validate=True))
        except ValueError:
            return text[: self.draw.randrange(len(text) + 1)] + self.draw.choice(["", "\x00", "x", "é"])
        if not data:
            return CANARY
        for _ in range(self.draw.choice([1, 1, 2, 8])):
            data[self.draw.randrange(len(data))] ^= 1 << self.draw.randrange(8)
        cut = self.draw.random()
        if cut < 0.2:
            data = data[: self.draw.randrange(len(data))]
        elif cut < 0.3:
            data += bytes(self.draw.choice([1, 32, 5000]))
        elif cut < 0.4:
            data = bytearray(self.draw.choice([b"\xff", b"\x00"]) * len(data))
        return to_base64(bytes(data))


def _places(value):
    """Every holder and key in nested lists and objects."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield value, key
        yield from _places(one)


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path, more={"limit": 4}) as small:
        yield small


def good_requests(crowd: SmallCrowd) -> list[tuple[str, str, str, object]]:
    """Service, method, path and body of a request to each call that takes one, all of them good once."""
    at, collection = crowd.at, crowd.manifest.collection
    person, pending = crowd.member(), request_credential(collection, RANDOM)
    prepared = crowd.prepared(person, {"all": 1, "some": 2})
    envelopes = crowd.envelopes(crowd.member(), {"all": 1, "some": 2})
    ticket = crowd.aggregation.identity.signing.sign("ticket", collection.id + pending.request[:32])
    joining = {"request": to_base64(pending.request), "ticket": to_base64(ticket)}
    slots = [slot_request(collection, person.evaluation, 3, blind(b"x", RANDOM).element, RANDOM)]
    final = {"signature": to_base64(crowd.mixes[1].identity.signing.sign("final", collection.id))}
    terms = {"manifest": crowd.manifest.to_json()}
    statistics = [{"statistics": {"passed": 1}, "signature": "00" * 64}] * 2
    submissions = {"submissions": [to_base64(item.submission) for item in prepared]}
    return [
        ("randomness", "POST", f"{at}/evaluate", {"slots": [to_base64(one) for one in slots]}),
        ("randomness", "POST", f"{at}/credentials", joining),
        ("randomness", "POST", "/collections", terms),
        ("mix1", "POST", f"{at}/credentials", joining),
        ("mix1", "POST", f"{at}/envelopes", submissions),
        (
            "mix1",
            "POST",
            f"{at}/batch",
            {"envelopes": [to_base64(envelopes[0])], "signature": to_base64(bytes(64))},
        ),
        ("mix1", "POST", "/collections", terms),
        (
            "mix2",
            "POST",
            f"{at}/batch",
            {"envelopes": [to_base64(one) for one in envelopes], "signature": ""},
        ),
        ("mix2", "POST", f"{at}/final", final),
        (
            "aggregation",
            "POST",
            f"{at}/credentials",
            {"invitation": crowd.invite(1)[0], "request": joining["request"]},
        ),
        (
            "aggregation",
            "POST",
            f"{at}/batch",
            {"envelopes": [to_base64(one) for one in envelopes], "signature": ""},
        ),
        ("aggregation", "POST", f"{at}/final", final),
        ("aggregation", "POST", f"{at}/publish", {"statistics": statistics}),
        ("aggregation", "POST", f"{at}/invitations", {"count": 1}),
        ("aggregation", "POST", "/collections", terms),
    ]


def signed_again(crowd: SmallCrowd, service: str, body):
    """The body with a signature of whoever hands over to this service, if it is one that can be signed."""
    before = {"mix2": crowd.mixes[0], "aggregation": crowd.mixes[1]}.get(service)
    try:
        envelopes = [base64.b64decode(one, validate=True) for one in body["envelopes"]]
        return signed_batch(before, crowd.manifest, envelopes) if before else body
    except (KeyError, TypeError, ValueError):
        return body


def go_to(crowd: SmallCrowd, phase: str) -> None:
    """Bring a collection from mining to this phase."""
    if phase == "cancelled":
        crowd.client.post(f"{crowd.at}/cancel", headers=OPERATOR)
    elif phase != "mining":
        crowd.open_uploads()
    if phase in ("complete", "published"):
        crowd.end()
    if phase == "published":
        assert crowd.publish().status_code == 202
        crowd.wait("ready")
        crowd.client.post(f"{crowd.at}/release", headers=OPERATOR)


@pytest.mark.parametrize("phase", ["mining", "uploading", "complete", "published", "cancelled"])
def test_changed_requests_are_answered_below_500_in_a_sentence(crowd, phase):
    apps = {"randomness": crowd.randomness, "mix1": crowd.mix, "aggregation": crowd.client}
    apps["mix2"] = AppClient(crowd.mixes[1].app())
    requests = good_requests(crowd)
    go_to(crowd, phase)
    changer, refused = Changer(SEED), 0
    for service, method, path, body in requests:
        bodies = [signed_again(crowd, service, changer.changed(body)) for _ in range(CHANGES)]
        sent = [json.dumps(one).encode() for one in bodies] + RAW
        for content in sent:
            answer = apps[service].request(method, path, content=content, headers=OPERATOR)
            assert answer.status_code < 500, (service, path, content[:300])
            if answer.status_code >= 400:
                refused += 1
                assert set(answer.json()) == {"error"}, (service, path, answer.text)
                assert CANARY not in answer.text
    assert refused > len(requests) * len(RAW)
    for app in apps.values():
        assert app.get("/health").status_code == 200


ODD_PLACES = ["%00", "a%00b", "%ff", "%ED%A0%80", "x" * 3000, "0" * 63, "0" * 64 + "%0a", "é"]


def test_odd_addresses_are_answered_below_500_on_postgresql_too(postgres_url, tmp_path):
    """PostgreSQL takes no NUL, so it must not be asked about a collection of such a name."""
    common = (RANDOM, TOKEN, UNLIMITED)
    services = [
        RandomnessServer(tmp_path / "randomness", *common, postgres_url),
        MixNode(tmp_path / "mix", *common, database_url=postgres_url),
        AggregationServer(tmp_path / "aggregation", *common, postgres_url),
    ]
    for service in services:
        app = AppClient(service.app(), headers=OPERATOR)
        for operation in service.operations():
            for odd in ODD_PLACES if operation.parameters else ():
                path = operation.path.replace("{id}", odd).replace("{file}", odd)
                answer = app.request(operation.method, path, json={})
                assert 400 <= answer.status_code < 500, (operation.path, odd[:20])
                assert set(answer.json()) == {"error"}
        service.close()
