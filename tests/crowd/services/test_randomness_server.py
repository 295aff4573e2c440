import dataclasses
import hashlib
import hmac

import pytest

from crowdlog.crowd.certificate import certified
from crowdlog.crowd.client.reports import draw
from crowdlog.crowd.crypto.credential import request_credential
from crowdlog.crowd.crypto.voprf import VoprfKey, blind
from crowdlog.crowd.public_list import chained_head
from crowdlog.crowd.services import voprf_keys
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.crowd.slots import SLOT_REQUEST_SIZE, SlotRequest, slot_request
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, TOKEN, UNLIMITED, Direct, SmallCrowd


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


def asked(crowd: SmallCrowd, person, slot: int = 0, element: bytes | None = None, level: int = 0) -> bytes:
    one = element or blind(b"x", RANDOM).element
    return slot_request(crowd.manifest.collection, person.evaluation, slot, one, RANDOM, level)


def evaluate(crowd: SmallCrowd, *packed: bytes):
    return crowd.randomness.post(f"{crowd.at}/evaluate", json={"slots": [to_base64(one) for one in packed]})


def test_the_same_input_gives_everybody_the_same_output(crowd):
    collection = crowd.manifest.collection
    inputs = [collection.voprf_input(text) for text in (b"one", b"two")]
    outputs = [
        draw(crowd.manifest, crowd.member(), inputs, Direct(crowd.randomness), RANDOM) for _ in range(2)
    ]
    path = crowd.folder / "randomness" / f"{collection.voprf_public.hex()}.key"
    key = VoprfKey.from_bytes(path.read_bytes())
    assert outputs == [[key.output(item) for item in inputs]] * 2


def test_a_slot_is_good_for_one_value_asked_for_as_often_as_needed(crowd):
    person, element = crowd.member(), blind(b"x", RANDOM).element
    assert [evaluate(crowd, asked(crowd, person, 3, element)).status_code for _ in range(2)] == [200, 200]
    answer = evaluate(crowd, asked(crowd, person, 4), asked(crowd, person, 3))
    assert answer.status_code == 403
    assert "for another value" in answer.json()["error"]
    # all or none: slot 4 of that request was not used up
    assert evaluate(crowd, asked(crowd, person, 4)).status_code == 200


def test_strangers_and_others_credentials_evaluate_nothing(crowd):
    """A5, A7: guesses cost slots of members; nobody else can use up anything."""
    person = crowd.member()
    wrong = dataclasses.replace(person, evaluation=person.report)
    good = asked(crowd, person)
    for packed in (asked(crowd, wrong), good[:-1] + bytes([good[-1] ^ 1]), good[:5] + bytes(32) + good[37:]):
        assert evaluate(crowd, packed).status_code in {400, 403}
    assert evaluate(crowd, good).status_code == 200


def test_a_slot_beyond_the_limit_is_refused(crowd):
    packed = bytearray(asked(crowd, crowd.member(), 49))
    packed[1:5] = (50).to_bytes(4, "big")
    assert evaluate(crowd, bytes(packed)).status_code == 400


def test_nothing_is_evaluated_before_the_smallest_crowd_has_joined(tmp_path):
    """A5: a collection for one person opens nothing."""
    with SmallCrowd(tmp_path, more={"smallest_crowd": 8}) as crowd:
        crowd.manifest = crowd.create(title="second")
        with crowd.server._database.transaction() as t:
            t.run("DELETE FROM randomness_people WHERE collection = ?", (crowd.manifest.id,))
        person = crowd.member()
        answer = evaluate(crowd, asked(crowd, person))
        assert answer.status_code == 409
        assert "1 of at least 8" in answer.json()["error"]
        for _ in range(7):
            crowd.member()
        assert crowd.server.state(crowd.manifest.id)["joined"] == 8
        assert evaluate(crowd, asked(crowd, person)).status_code == 200


def test_one_person_is_counted_once_and_only_with_a_ticket(crowd):
    before = crowd.server.state(crowd.manifest.id)["joined"]
    pending = request_credential(crowd.manifest.collection, RANDOM)
    ticket = crowd.aggregation.identity.signing.sign(
        "ticket", crowd.manifest.collection.id + pending.request[:32]
    )
    for _ in range(3):
        crowd.server.join(crowd.manifest.id, pending.request, ticket)
    assert crowd.server.state(crowd.manifest.id)["joined"] == before + 1
    other = request_credential(crowd.manifest.collection, RANDOM)
    for request, signature in ((other.request, ticket), (pending.request, bytes(64))):
        with pytest.raises(Refused, match="not admitted"):
            crowd.server.join(crowd.manifest.id, request, signature)


def test_a_destroyed_key_is_gone_from_disk_certified_and_refused_for_good(crowd, tmp_path):
    person = crowd.member()
    public = crowd.manifest.collection.voprf_public.hex()
    path = tmp_path / "randomness" / f"{public}.key"
    secret = path.read_bytes()
    blocks = tmp_path / "the same blocks"  # under another name, to see what was written to them
    blocks.hardlink_to(path)
    assert crowd.randomness.get(crowd.at).json()["certificate"] == ""
    for _ in range(2):  # destroying twice is fine
        answer = crowd.randomness.delete(f"{crowd.at}/key", headers=OPERATOR).json()
        assert answer["state"] == "destroyed"
        assert certified(crowd.manifest, answer["destroyed"], answer["certificate"])
        assert not certified(crowd.manifest, answer["destroyed"] + 1, answer["certificate"])
    again = RandomnessServer(tmp_path / "randomness", RANDOM, TOKEN, UNLIMITED, owner="the randomness people")
    for running in (crowd.randomness, AppClient(again.app())):  # also after a restart
        assert running.get(crowd.at).json() == answer
        refused = running.post(f"{crowd.at}/evaluate", json={"slots": [to_base64(asked(crowd, person))]})
        assert refused.status_code == 410
        assert "destroyed" in refused.json()["error"]
    again.close()
    assert not any(secret in one.read_bytes() for one in (tmp_path / "randomness").iterdir())
    assert blocks.read_bytes() == bytes(len(secret))


def test_a_restart_finishes_a_destruction_that_was_cut_short(crowd, tmp_path):
    public = crowd.manifest.collection.voprf_public.hex()
    path = tmp_path / "randomness" / f"{public}.key"
    with crowd.server._database.transaction() as t:  # killed right after the end of mining was recorded
        crowd.server._keys.close(t, public)
    assert path.exists()
    state = crowd.server.state(crowd.manifest.id)
    assert (state["state"], state["certificate"]) == ("open", "")
    again = RandomnessServer(tmp_path / "randomness", RANDOM, TOKEN, UNLIMITED, owner="the randomness people")
    state = again.state(crowd.manifest.id)
    again.close()
    assert not path.exists()
    assert certified(crowd.manifest, state["destroyed"], state["certificate"])


def test_the_certificate_is_never_earlier_than_the_destruction(crowd, tmp_path, monkeypatch):
    """Whoever asks while the key is being overwritten gets no value and no certificate."""
    person, answers = crowd.member(), []
    public = crowd.manifest.collection.voprf_public.hex()
    path = tmp_path / "randomness" / f"{public}.key"
    destroy = voprf_keys.destroy_secret

    def looked_at(one):
        for after in (False, True):
            answers.append((path.exists(), crowd.randomness.get(crowd.at).json()["certificate"]))
            body = {"slots": [to_base64(asked(crowd, person))]}
            assert crowd.randomness.post(f"{crowd.at}/evaluate", json=body).status_code == 410
            if not after:
                destroy(one)

    monkeypatch.setattr(voprf_keys, "destroy_secret", looked_at)
    crowd.server.destroy(crowd.manifest.id)
    assert answers == [(True, ""), (False, "")]
    state = crowd.server.state(crowd.manifest.id)
    assert certified(crowd.manifest, state["destroyed"], state["certificate"])


def test_used_slots_are_stored_under_the_key_that_dies(crowd, tmp_path):
    person = crowd.member()
    request = asked(crowd, person)
    crowd.server.evaluate(crowd.manifest.id, [request])
    slot = SlotRequest.parse(request)
    raw = b"".join(one.read_bytes() for one in (tmp_path / "randomness").iterdir())
    with crowd.server._database.transaction() as t:
        rows = t.rows("SELECT name, element FROM randomness_slots")
    assert all(name in raw for name, _element in rows)
    key = crowd.server._keys.read(crowd.manifest.collection.voprf_public.hex())
    under_key = [hmac.digest(key, b"slot" + value, "sha256") for value in (slot.name, slot.element)]
    assert [tuple(map(bytes, row)) for row in rows] == [tuple(under_key)]
    for value in (slot.name, slot.element, hashlib.sha256(slot.element).digest()):
        assert value not in raw


def test_the_key_dies_when_mining_ends(crowd):
    crowd.server.destroy_due()
    assert crowd.server.state(crowd.manifest.id)["state"] == "open"
    crowd.server.clock = lambda: crowd.manifest.mining_until
    crowd.server.destroy_due()
    state = crowd.server.state(crowd.manifest.id)
    assert (state["state"], state["destroyed"]) == ("destroyed", crowd.manifest.mining_until)


def test_the_public_list_is_a_chain_that_two_volunteers_can_compare(crowd):
    first = crowd.randomness.get("/collections").json()
    second = crowd.create(title="second")
    listed = crowd.randomness.get("/collections").json()
    assert [entry["id"] for entry in listed["collections"]] == [crowd.manifest.id, second.id]
    assert [entry["title"] for entry in listed["collections"]] == ["test", "second"]
    assert listed["collections"][0] == first["collections"][0]
    head = chained_head(bytes.fromhex(first["head"]), second.id)
    assert listed["head"] == listed["collections"][1]["head"] == head.hex()


def test_the_owner_may_demand_a_larger_crowd(crowd):
    crowd.server.smallest_crowd = 100
    with pytest.raises(Refused, match="at least 100 people"):
        crowd.create(title="small")
    crowd.create(title="large", smallest_crowd=100)


def test_a_key_serves_one_collection(crowd):
    shown = crowd.manifest
    again = dataclasses.replace(shown.collection, payload_size=129)
    with pytest.raises(Refused, match="one for each"):
        crowd.server.register(dataclasses.replace(shown, collection=again))
    crowd.server.register(shown)  # asking again is fine


def test_one_address_gets_so_many_elements_a_second(crowd, tmp_path):
    server = RandomnessServer(
        tmp_path / "randomness",
        RANDOM,
        TOKEN,
        UNLIMITED,
        elements_per_second=1e-6,
        owner="the randomness people",
    )
    client, packed = AppClient(server.app()), to_base64(asked(crowd, crowd.member()))
    assert client.post(f"{crowd.at}/evaluate", json={"slots": [packed] * 150}).status_code == 200
    answer = client.post(f"{crowd.at}/evaluate", json={"slots": [packed] * 150})
    assert answer.status_code == 429
    assert "address" in answer.json()["error"]
    server.close()


def test_requests_are_limited_too(tmp_path):
    server = RandomnessServer(tmp_path, RANDOM, TOKEN, Limits(requests_per_second=1e-6, burst=2))
    client = AppClient(server.app())
    assert [client.get("/openapi.json").status_code for _ in range(3)] == [200, 200, 429]
    server.close()


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer wröng".encode()}]
)
def test_keys_are_the_operators(crowd, headers):
    assert crowd.randomness.post("/keys", headers=headers).status_code == 401
    assert crowd.randomness.delete(f"{crowd.at}/key", headers=headers).status_code == 401


@pytest.mark.parametrize("slots", [[], ["AAAA"], [to_base64(b"\xff" * SLOT_REQUEST_SIZE)], "x", [1]])
def test_bad_slots_are_refused(crowd, slots):
    answer = crowd.randomness.post(f"{crowd.at}/evaluate", json={"slots": slots})
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}


def test_an_unknown_collection_is_not_found(crowd):
    assert crowd.randomness.get(f"/collections/{'0' * 64}").status_code == 404
    assert crowd.randomness.get("/nowhere").json()["error"].startswith("Not Found")


def test_postgresql_works_as_well(crowd, tmp_path, postgres_url):
    server = RandomnessServer(tmp_path / "pg", RANDOM, TOKEN, UNLIMITED, database_url=postgres_url)
    public, issuer = server.make_keys()
    assert len(public) == 64
    assert len(issuer) == 64
    assert server.listed()["collections"] == []
    server.close()
