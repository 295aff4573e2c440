import io
import time

import pyarrow.parquet as pq
import pytest

from crowdlog.crowd.crypto.credential import request_credential
from crowdlog.crowd.services.fields import to_base64
from tests.crowd.services.members import OPERATOR, RANDOM, SmallCrowd, terms


@pytest.fixture(params=["sqlite", "postgresql"])
def crowd(request, tmp_path):
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with SmallCrowd(tmp_path, url) as small:
        yield small


@pytest.fixture
def sqlite_crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


def _published(crowd: SmallCrowd) -> list[dict]:
    """Publish, wait, and return the rows of the crowd log."""
    assert (
        crowd.client.post(f"{crowd.at}/publish", json={"smallest_batch": 7}, headers=OPERATOR).status_code
        == 202
    )
    deadline = time.monotonic() + 120
    while crowd.client.get(crowd.at).json()["phase"] != "published":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return pq.read_table(
        io.BytesIO(crowd.client.get(f"{crowd.at}/release/queries.parquet").content)
    ).to_pylist()


def test_what_k_people_share_is_published_with_its_count_and_nothing_else(crowd):
    people = [crowd.member() for _ in range(6)]
    sent = [
        crowd.envelopes(person, {"all": 2, "five": 1, f"only {i}": 1} if i else {"all": 3, "four": 1})
        for i, person in enumerate(people)
    ]
    crowd.open_uploads()
    for envelopes in sent:
        assert crowd.send(envelopes).json() == {"accepted": len(envelopes), "duplicates": 0, "rejected": 0}
    assert crowd.send(sent[1]).json() == {"accepted": 0, "duplicates": 3, "rejected": 0}
    status = crowd.status()
    assert (
        status["received"],
        status["duplicates"],
        status["groups"],
        status["at_bar"],
        status["joined"],
    ) == (17, 3, 8, 2, 6)
    assert _published(crowd) == [
        {"query": "all", "count": 13, "users": 6},
        {"query": "five", "count": 5, "users": 5},
    ]
    label = crowd.client.get(f"{crowd.at}/release/label.json").json()
    assert label["crowdlog"]["notes"]["smallest_batch"] == 7
    assert label["model"]["model_name"] == "Distributed"


def test_after_publishing_nothing_is_left_of_the_reports(sqlite_crowd, tmp_path):
    person = sqlite_crowd.member()
    envelopes = sqlite_crowd.envelopes(person, {"mine alone": 1})
    sqlite_crowd.open_uploads()
    sqlite_crowd.send(envelopes)
    assert _published(sqlite_crowd) == []
    assert sqlite_crowd.status()["groups"] == 0
    assert not list(tmp_path.rglob("*.issuer"))
    answer = sqlite_crowd.send(envelopes)
    assert answer.json() == {"accepted": 0, "duplicates": 0, "rejected": 1}


def test_two_reports_of_one_person_count_once(sqlite_crowd):
    people = [sqlite_crowd.member() for _ in range(4)]
    sent = [sqlite_crowd.envelopes(person, {"shared": 1}) for person in people]
    # other bytes, same person, same artifact
    again = [sqlite_crowd.envelopes(people[0], {"shared": 1}) for _ in range(3)]
    sqlite_crowd.open_uploads()
    for envelopes in sent + again:
        sqlite_crowd.send(envelopes)
    status = sqlite_crowd.status()
    assert (status["received"], status["duplicates"], status["at_bar"], status["near_bar"]) == (4, 3, 0, 1)
    assert _published(sqlite_crowd) == []


def test_an_invitation_is_good_for_one_person_and_a_lost_answer_can_be_asked_for_again(crowd):
    token = crowd.invite(1)[0]
    pending = request_credential(crowd.manifest.collection, RANDOM)
    body = {"invitation": token, "request": to_base64(pending.request)}
    assert [crowd.client.post(f"{crowd.at}/credentials", json=body).status_code for _ in range(2)] == [
        201,
        201,
    ]
    other = request_credential(crowd.manifest.collection, RANDOM)
    assert (
        crowd.client.post(
            f"{crowd.at}/credentials", json={**body, "request": to_base64(other.request)}
        ).status_code
        == 403
    )
    assert (
        crowd.client.post(f"{crowd.at}/credentials", json={**body, "invitation": "made up"}).status_code
        == 403
    )
    crowd.open_uploads()
    assert crowd.client.post(f"{crowd.at}/credentials", json=body).status_code == 410


def test_a_bad_request_does_not_use_up_the_invitation(sqlite_crowd):
    token = sqlite_crowd.invite(1)[0]
    answer = sqlite_crowd.client.post(
        f"{sqlite_crowd.at}/credentials", json={"invitation": token, "request": to_base64(bytes(96))}
    )
    assert answer.status_code == 400
    assert sqlite_crowd.member(token).secret


def test_reports_before_the_uploads_are_open_are_not_kept(sqlite_crowd):
    envelopes = sqlite_crowd.envelopes(sqlite_crowd.member(), {"early": 1})
    assert sqlite_crowd.send(envelopes).json() == {"accepted": 0, "duplicates": 0, "rejected": 1}
    sqlite_crowd.open_uploads()
    assert sqlite_crowd.status()["received"] == 0
    assert sqlite_crowd.send(envelopes).json()["accepted"] == 1


def test_reports_of_strangers_are_refused(sqlite_crowd, tmp_path):
    with SmallCrowd(tmp_path / "other") as other:
        foreign = other.envelopes(other.member(), {"foreign": 1})
    sqlite_crowd.open_uploads()
    answer = sqlite_crowd.send(foreign)
    assert answer.status_code == 400
    assert "foreign" not in answer.text
    good = sqlite_crowd.envelopes(sqlite_crowd_member(sqlite_crowd), {"ours": 1})
    assert sqlite_crowd.send([*foreign, *good, b"noise"]).json() == {
        "accepted": 1,
        "duplicates": 0,
        "rejected": 2,
    }


def sqlite_crowd_member(crowd: SmallCrowd):
    """A member of a second collection on the same server: this one takes nobody new any more."""
    second = {
        "title": "second",
        "mix_publics": [to_base64(mix.public) for mix in crowd.mixes],
        "voprf_public": to_base64(bytes.fromhex(crowd.voprf)),
    }
    crowd.manifest = crowd.create(**second)
    member = crowd.member()
    crowd.open_uploads()
    return member


def test_phases_go_one_way(sqlite_crowd):
    publish = {"json": {"smallest_batch": 0}, "headers": OPERATOR}
    assert sqlite_crowd.client.post(f"{sqlite_crowd.at}/publish", **publish).status_code == 409
    assert sqlite_crowd.client.get(f"{sqlite_crowd.at}/release").status_code == 409
    sqlite_crowd.open_uploads()
    sqlite_crowd.open_uploads()  # asking twice is fine
    _published(sqlite_crowd)
    answer = sqlite_crowd.client.post(f"{sqlite_crowd.at}/uploads", headers=OPERATOR)
    assert answer.status_code == 409
    assert "published" in answer.json()["error"]
    assert "label.json" in sqlite_crowd.client.get(f"{sqlite_crowd.at}/release").json()["files"]
    assert sqlite_crowd.client.get(f"{sqlite_crowd.at}/release/nothing.json").status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        {"k": 4},
        {"policy": "FTu(k=4)"},
        {"policy": "Korolova(epsilon=1, delta=1e-5, d=20)"},
        {"policy": "nonsense"},
        {"policy": "FTu(k=5, artifact='click')"},
        {"mix_publics": [to_base64(bytes(32))]},
        {"artifact": "thought"},
    ],
)
def test_terms_that_do_not_protect_are_refused(sqlite_crowd, change):
    answer = sqlite_crowd.client.post("/collections", json={**terms(), **change}, headers=OPERATOR)
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}


def test_operator_calls_need_the_token(sqlite_crowd):
    calls = [
        ("POST", "/collections"),
        ("GET", f"{sqlite_crowd.at}/status"),
        ("POST", f"{sqlite_crowd.at}/uploads"),
        ("POST", f"{sqlite_crowd.at}/publish"),
    ]
    assert {sqlite_crowd.client.request(method, path, json={}).status_code for method, path in calls} == {401}


def test_people_can_be_counted_instead_of_impressions(tmp_path):
    with SmallCrowd(tmp_path, count="users") as crowd:
        sent = [crowd.envelopes(crowd.member(), {"shared": 9}) for _ in range(5)]
        crowd.open_uploads()
        for envelopes in sent:
            crowd.send(envelopes)
        assert _published(crowd) == [{"query": "shared", "count": 5}]


def test_publishing_cut_short_is_finished_after_a_restart(tmp_path):
    with SmallCrowd(tmp_path) as crowd:
        sent = [crowd.envelopes(crowd.member(), {"shared": 1}) for _ in range(5)]
        crowd.open_uploads()
        for envelopes in sent:
            crowd.send(envelopes)
        # the server dies before it has done anything
        crowd.aggregation._publisher.publish = lambda _name: None
        assert (
            crowd.client.post(f"{crowd.at}/publish", json={"smallest_batch": 1}, headers=OPERATOR).status_code
            == 202
        )
        name = crowd.at
    with SmallCrowd(tmp_path) as again:
        deadline = time.monotonic() + 120
        while again.client.get(name).json()["phase"] != "published":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        rows = pq.read_table(
            io.BytesIO(again.client.get(f"{name}/release/queries.parquet").content)
        ).to_pylist()
    assert rows == [{"query": "shared", "count": 5, "users": 5}]
