import dataclasses
from itertools import pairwise

import pytest

from crowdlog.crowd.crypto.credential import request_credential
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.manifest import canonical
from crowdlog.crowd.services import aggregation
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.slots import Submission
from crowdlog.errors import InputError, PrivacyRefusal
from tests.crowd.services.members import OPERATOR, RANDOM, SmallCrowd, counted, signed_batch


@pytest.fixture(params=["sqlite", "postgresql"])
def crowd(request, tmp_path):
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with SmallCrowd(tmp_path, url) as small:
        yield small


@pytest.fixture
def sqlite_crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


def test_what_k_people_share_is_published_with_its_count_and_nothing_else(crowd):
    people = [crowd.member() for _ in range(6)]
    sent = [
        crowd.envelopes(person, {"all": 2, "five": 1, f"only {i}": 1} if i else {"all": 3, "four": 1})
        for i, person in enumerate(people)
    ]
    crowd.open_uploads()
    for envelopes in sent:
        assert counted(crowd.send(envelopes)) == {"accepted": len(envelopes), "duplicates": 0, "rejected": 0}
    assert counted(crowd.send(sent[1])) == {"accepted": 0, "duplicates": 3, "rejected": 0}
    status = crowd.status()
    wanted = {"received": 17, "duplicates": 3, "stored": 17, "joined": 6, "over_limit": 0}
    assert {name: status[name] for name in wanted} == wanted
    assert crowd.published() == [
        {"query": "all", "count": 13, "users": 6},
        {"query": "five", "count": 5, "users": 5},
    ]
    label = crowd.client.get(f"{crowd.at}/release/label.json").json()
    assert label["crowdlog"]["notes"]["joined"] == 6
    assert label["crowdlog"]["notes"]["mix_1"].startswith("mix people 1: 0 envelopes in 0 batches")
    assert label["model"]["model_name"] == "Distributed"


def test_known_reports_among_new_ones_are_told_apart(crowd):
    first, second, third = (crowd.envelopes(crowd.member(), {"all": 1})[0] for _ in range(3))
    crowd.open_uploads()
    assert counted(crowd.send([first])) == {"accepted": 1, "duplicates": 0, "rejected": 0}
    # one known, one new, and one twice in a request
    assert counted(crowd.send([first, second, third, third])) == {
        "accepted": 2,
        "duplicates": 2,
        "rejected": 0,
    }
    assert crowd.status()["stored"] == 3


def test_after_publishing_nothing_is_left_of_the_reports(sqlite_crowd, tmp_path):
    envelopes = sqlite_crowd.envelopes(sqlite_crowd.member(), {"mine alone": 1})
    sqlite_crowd.open_uploads()
    sqlite_crowd.send(envelopes)
    folder = tmp_path / "aggregation"
    assert list(folder.glob("*.issuer"))
    assert list(folder.glob("*.rows"))
    assert sqlite_crowd.published() == []
    assert sqlite_crowd.status()["stored"] == 0
    assert sqlite_crowd.status()["joined"] == 1  # numbers stay
    assert not list(folder.glob("*.issuer"))
    assert not list(folder.glob("*.rows"))
    assert sqlite_crowd.send(envelopes).json()["rejected"] == 1


def test_nobody_sees_groups_grow_while_reports_arrive(sqlite_crowd):
    """The operator as four fake volunteers with one guess: whatever she may read is the same, whether the
    fifth report meets her guess or not.
    """
    fakes = [sqlite_crowd.envelopes(sqlite_crowd.member(), {"guess": 1}) for _ in range(4)]
    met = sqlite_crowd.envelopes(sqlite_crowd.member(), {"guess": 1})
    other = sqlite_crowd.envelopes(sqlite_crowd.member(), {"something else": 1})
    sqlite_crowd.open_uploads()
    for envelopes in fakes:
        sqlite_crowd.send(envelopes)
    seen = [_all_counts(sqlite_crowd)]
    for envelopes in (other, met):
        sqlite_crowd.send(envelopes)
        seen.append(_all_counts(sqlite_crowd))
    grown = [{name: after[name] - before[name] for name in after} for before, after in pairwise(seen)]
    assert grown[0] == grown[1]
    assert sum(grown[0].values()) == 4  # received and stored, in status and in metrics


def _all_counts(crowd) -> dict[str, int]:
    """Every number that a bearer of the operator's token can read at the aggregation server."""
    numbers = {name: value for name, value in crowd.status().items() if isinstance(value, int)}
    lines = crowd.client.get("/metrics", headers=OPERATOR).text.splitlines()
    samples = [line.rsplit(" ", 1) for line in lines if line and not line.startswith("#")]
    return numbers | {name: int(value) for name, value in samples}


def test_two_reports_of_one_person_count_once(sqlite_crowd):
    people = [sqlite_crowd.member() for _ in range(4)]
    sent = [sqlite_crowd.envelopes(person, {"shared": 1}) for person in people]
    # other bytes and another slot, same person, same artifact: her own slot for this value is used
    helper = sqlite_crowd.member()
    again = sqlite_crowd.envelopes(
        dataclasses.replace(people[0], evaluation=helper.evaluation), {"shared": 1}
    )
    sqlite_crowd.open_uploads()
    for envelopes in [*sent, sent[0], again]:
        sqlite_crowd.send(envelopes)
    status = sqlite_crowd.status()
    assert (status["received"], status["duplicates"], status["stored"]) == (4, 2, 4)
    assert sqlite_crowd.published() == []


def test_nobody_is_counted_beyond_her_limit(tmp_path):
    """A member who forges her client may evaluate and send as she likes: each slot counts once."""
    with SmallCrowd(tmp_path, count="users", more={"limit": 3}) as crowd:
        person = crowd.member()
        honest = crowd.envelopes(person, {"a": 1, "b": 1, "c": 1})
        # a second member's values, reported under the first one's name in the slots she has already used
        other = crowd.member()
        borrowed = crowd.envelopes(
            dataclasses.replace(person, evaluation=other.evaluation), {"d": 1, "e": 1, "f": 1}
        )
        crowd.open_uploads()
        assert crowd.send(honest).json()["accepted"] == 3
        assert counted(crowd.send(borrowed)) == {"accepted": 0, "duplicates": 0, "rejected": 3}
        assert crowd.status()["over_limit"] == 3


def test_an_invitation_is_good_for_one_person_and_a_lost_answer_can_be_asked_for_again(crowd):
    token = crowd.invite(1)[0]
    pending = request_credential(crowd.manifest.collection, RANDOM)
    body = {"invitation": token, "request": to_base64(pending.request)}
    path = f"{crowd.at}/credentials"
    assert [crowd.client.post(path, json=body).status_code for _ in range(2)] == [201, 201]
    other = request_credential(crowd.manifest.collection, RANDOM)
    for change in ({"request": to_base64(other.request)}, {"invitation": "made up"}):
        assert crowd.client.post(path, json={**body, **change}).status_code == 403
    crowd.open_uploads()
    assert crowd.client.post(path, json=body).status_code == 410
    answer = crowd.client.post(f"{crowd.at}/invitations", json={"count": 1}, headers=OPERATOR)
    assert answer.status_code == 409


def test_who_has_no_invitation_costs_no_cryptography(sqlite_crowd, monkeypatch):
    pending = request_credential(sqlite_crowd.manifest.collection, RANDOM)

    def issued(*_arguments):
        raise AssertionError("a credential was made")

    monkeypatch.setattr(aggregation, "issue_credential", issued)
    body = {"invitation": "made up", "request": to_base64(pending.request)}
    answer = sqlite_crowd.client.post(f"{sqlite_crowd.at}/credentials", json=body)
    assert answer.status_code == 403
    assert "invitation is unknown" in answer.json()["error"]


def test_a_bad_request_does_not_use_up_the_invitation(sqlite_crowd):
    token = sqlite_crowd.invite(1)[0]
    answer = sqlite_crowd.client.post(
        f"{sqlite_crowd.at}/credentials", json={"invitation": token, "request": to_base64(bytes(96))}
    )
    assert answer.status_code == 400
    assert sqlite_crowd.member(token).report.secret


def test_reports_before_the_uploads_are_open_stay_with_the_mix(sqlite_crowd):
    """This server may hear later than the mixes that uploads are open: what it cannot keep it must not
    acknowledge, or the mix would forget it.
    """
    envelopes = sqlite_crowd.envelopes(sqlite_crowd.member(), {"early": 1})
    assert sqlite_crowd.send(envelopes).status_code == 409
    signature = sqlite_crowd.mixes[1].identity.signing.sign("final", sqlite_crowd.manifest.collection.id)
    final = {"signature": to_base64(signature)}
    assert sqlite_crowd.client.post(f"{sqlite_crowd.at}/final", json=final).status_code == 409
    sqlite_crowd.open_uploads()
    told = sqlite_crowd.status()
    assert (told["phase"], told["received"], told["rejected"]) == ("uploading", 0, 0)
    assert sqlite_crowd.send(envelopes).json()["accepted"] == 1
    sqlite_crowd.end()
    assert sqlite_crowd.status()["phase"] == "complete"


def test_reports_of_strangers_and_noise_are_counted_and_stop_nobody(sqlite_crowd, tmp_path):
    with SmallCrowd(tmp_path / "other") as other:
        foreign = other.envelopes(other.member(), {"foreign": 1})
    good = sqlite_crowd.envelopes(sqlite_crowd.member(), {"ours": 1})
    sqlite_crowd.open_uploads()
    answer = sqlite_crowd.send([*foreign, *good, b"noise", bytes(len(good[0]))])
    assert counted(answer) == {"accepted": 1, "duplicates": 0, "rejected": 3}
    assert sqlite_crowd.status()["rejected"] == 3


def test_only_the_last_mix_brings_reports(sqlite_crowd):
    envelopes = sqlite_crowd.envelopes(sqlite_crowd.member(), {"a": 1, "b": 1})
    sqlite_crowd.open_uploads()
    good = signed_batch(sqlite_crowd.mixes[1], sqlite_crowd.manifest, envelopes)
    first_mix = signed_batch(sqlite_crowd.mixes[0], sqlite_crowd.manifest, envelopes)
    fewer = {**good, "envelopes": good["envelopes"][:1]}
    for body in (first_mix, fewer, {**good, "signature": to_base64(bytes(64))}):
        answer = sqlite_crowd.client.post(f"{sqlite_crowd.at}/batch", json=body)
        assert (answer.status_code, set(answer.json())) == (403, {"error"})
    assert sqlite_crowd.client.post(f"{sqlite_crowd.at}/batch", json=good).json()["accepted"] == 2
    wrong = {"signature": to_base64(bytes(64))}
    assert sqlite_crowd.client.post(f"{sqlite_crowd.at}/final", json=wrong).status_code == 403


def test_phases_go_one_way(sqlite_crowd):
    crowd = sqlite_crowd
    assert crowd.publish().status_code == 409
    assert crowd.client.get(f"{crowd.at}/release").status_code == 409
    crowd.open_uploads()
    crowd.open_uploads()  # asking twice is fine
    crowd.end()
    crowd.end()
    assert crowd.publish().status_code == 202
    crowd.wait("ready")
    # nobody but the operator reads it before it is released
    assert crowd.client.get(f"{crowd.at}/release/label.json").status_code == 409
    assert crowd.client.get(f"{crowd.at}/preview/label.json").status_code == 401
    assert crowd.client.get(f"{crowd.at}/preview/label.json", headers=OPERATOR).status_code == 200
    assert "label.json" in crowd.client.get(f"{crowd.at}/preview", headers=OPERATOR).json()["files"]
    for _ in range(2):
        assert crowd.client.post(f"{crowd.at}/release", headers=OPERATOR).status_code == 200
    assert crowd.publish().status_code == 409
    assert "label.json" in crowd.client.get(f"{crowd.at}/release").json()["files"]
    assert crowd.client.get(f"{crowd.at}/release/nothing.json").status_code == 404


def test_statistics_must_be_signed_by_the_mixes_of_the_terms(sqlite_crowd):
    crowd = sqlite_crowd
    crowd.open_uploads()
    crowd.end()
    good = crowd.statistics()
    altered = {**good[0], "statistics": {**good[0]["statistics"], "smallest_batch": 5000}}
    for bad in ([altered, good[1]], [good[1], good[0]], good[:1], [good[0], {"statistics": {}}]):
        answer = crowd.client.post(f"{crowd.at}/publish", json={"statistics": bad}, headers=OPERATOR)
        assert answer.status_code == 400
        assert "mix" in answer.json()["error"]


@pytest.mark.parametrize(
    "change", [{"passed": None}, {"batches": -1}, {"owner": "Another"}, {"more": 1}, {"rejected": "\x1b[2K"}]
)
def test_a_mix_cannot_sign_what_no_label_can_hold(sqlite_crowd, change):
    """Its crowd log could never be written, and its reports would never be deleted."""
    crowd = sqlite_crowd
    crowd.open_uploads()
    crowd.end()
    good = crowd.statistics()
    values = {**good[0]["statistics"], **change}
    told = {name: value for name, value in values.items() if value is not None}
    signature = crowd.mixes[0].identity.signing.sign("statistics", canonical(told)).hex()
    body = {"statistics": [{"statistics": told, "signature": signature}, good[1]]}
    answer = crowd.client.post(f"{crowd.at}/publish", json=body, headers=OPERATOR)
    assert answer.status_code == 400
    assert "mix" in answer.json()["error"]
    again = crowd.client.post(f"{crowd.at}/publish", json={"statistics": good}, headers=OPERATOR)
    assert again.status_code == 202


@pytest.mark.parametrize(
    "change",
    [
        {"k": 4},
        {"policy": "FTu(k=4)"},
        {"policy": "Korolova(epsilon=1, delta=1e-5, d=20)"},
        {"policy": "nonsense"},
        {"policy": "FTu(k=5, artifact='click')"},
        {"smallest_crowd": 4},
        {"inner_k": 9},
    ],
)
def test_terms_that_do_not_protect_are_refused(sqlite_crowd, change):
    with pytest.raises((InputError, PrivacyRefusal)):
        sqlite_crowd.create(**change)


def test_terms_of_other_services_are_refused(sqlite_crowd, tmp_path):
    """A server agrees only to what names it, with keys it has made."""
    with SmallCrowd(tmp_path / "other") as other:
        theirs = other.manifest
    for client in (sqlite_crowd.client, sqlite_crowd.randomness, sqlite_crowd.mix):
        body = {"manifest": theirs.to_json()}
        assert client.post("/collections", json=body, headers=OPERATOR).status_code == 400
    shown = sqlite_crowd.manifest.to_json()
    answer = sqlite_crowd.client.post(
        "/collections", json={"manifest": {**shown, "title": "another"}}, headers=OPERATOR
    )
    assert answer.status_code == 400
    assert "not those the collection's id was made from" in answer.json()["error"]


def test_operator_calls_need_the_token(sqlite_crowd):
    at = sqlite_crowd.at
    calls = [
        ("POST", "/keys"),
        ("GET", "/collections"),
        ("POST", "/collections"),
        ("GET", f"{at}/status"),
        ("POST", f"{at}/invitations"),
        ("POST", f"{at}/publish"),
        ("POST", f"{at}/release"),
        ("GET", f"{at}/preview"),
    ]
    assert {sqlite_crowd.client.request(method, path, json={}).status_code for method, path in calls} == {401}


def test_people_can_be_counted_instead_of_impressions(tmp_path):
    with SmallCrowd(tmp_path, count="users") as crowd:
        sent = [crowd.envelopes(crowd.member(), {"shared": 9}) for _ in range(5)]
        crowd.open_uploads()
        for envelopes in sent:
            crowd.send(envelopes)
        assert crowd.published() == [{"query": "shared", "count": 5}]


def test_publishing_cut_short_is_finished_after_a_restart(tmp_path):
    with SmallCrowd(tmp_path) as crowd:
        sent = [crowd.envelopes(crowd.member(), {"shared": 1}) for _ in range(5)]
        crowd.open_uploads()
        for envelopes in sent:
            crowd.send(envelopes)
        crowd.end()
        # the server dies before it has done anything
        crowd.aggregation._publisher.publish = lambda _name: None
        assert crowd.publish().status_code == 202
        manifest = crowd.manifest
    with SmallCrowd(tmp_path) as again:
        again.manifest = manifest
        again.wait("ready")
        label = again.client.get(f"{again.at}/preview/label.json", headers=OPERATOR).json()
    assert label["crowdlog"]["tables"]["queries"] == 1


def test_a_collection_of_members_who_draw_themselves(tmp_path):
    """What is published is how many drew to report; those who did not are hidden by cover."""
    policy = "Nebula(epsilon=3, delta=0.5, p=0.7, d=2, k=5)"
    terms = {"limit": 2, "policy": policy, "sampling": 700_000, "cover": True}
    with SmallCrowd(tmp_path, count="users", more=terms) as crowd:
        prepared = [crowd.prepared(crowd.member(), {"shared": 1}) for _ in range(16)]
        drew = sum(bool(item.readable) for one in prepared for item in one)
        assert [len(one) for one in prepared] == [2] * 16
        crowd.open_uploads()
        for one in prepared:
            sealed = [Submission.parse(item.submission).envelope for item in one]
            for mix in crowd.mixes:
                sealed = [open_layer(mix._key, envelope) for envelope in sealed]
            assert crowd.send(sealed).json()["accepted"] == 2
        assert crowd.published() == ([{"query": "shared", "count": drew}] if drew >= 5 else [])
        said = crowd.client.get(f"{crowd.at}/release/label.md").text
    assert "in a collection by herself, with probability 0.7" in said
