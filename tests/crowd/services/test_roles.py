"""Tokens of several roles, and the trail of what their bearers did."""

import json

import pytest

from crowdlog.crowd.services import collections
from crowdlog.crowd.services.aggregation import AggregationServer
from crowdlog.crowd.services.roles import Tokens
from crowdlog.crowd.services.trail import Trail
from crowdlog.errors import InputError
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import RANDOM, TOKEN, UNLIMITED, SmallCrowd

OPERATOR, COLLECTOR, OWNER = "o" * 32, "c" * 32, "w" * 32
THREE = f"operator: {OPERATOR}\ncollector: {COLLECTOR}\nowner: {OWNER}\n"


def test_a_bare_token_is_everybodys():
    tokens = Tokens.parse(f"{OPERATOR}\n")
    assert tokens.bearer(f"Bearer {OPERATOR}") == "operator"
    assert all(tokens.allows("operator", role) for role in ("operator", "collector", "owner"))
    assert tokens.bearer("Bearer x") is tokens.bearer("") is tokens.bearer(OPERATOR) is None
    assert OPERATOR not in repr(tokens)


def test_a_role_with_its_own_token_is_nobody_elses():
    tokens = Tokens.parse(THREE)
    allowed = {
        (bearer, role)
        for bearer, _ in tokens.by_role
        for role, _ in tokens.by_role
        if tokens.allows(bearer, role)
    }
    assert allowed == {("operator", "operator"), ("collector", "collector"), ("owner", "owner")}
    two = Tokens.parse(f"operator: {OPERATOR}\ncollector: {COLLECTOR}")
    assert two.allows("operator", "owner")
    assert not two.allows("operator", "collector")


@pytest.mark.parametrize(
    "text",
    ["", "short", f"king: {OPERATOR}", f"collector: {COLLECTOR}", f"{OPERATOR}\nowner: {OPERATOR}", "ö" * 40],
)
def test_what_is_no_file_of_tokens_is_refused(text):
    with pytest.raises(InputError, match="token"):
        Tokens.parse(text)


def call(client: AppClient, token: str, method: str, path: str) -> int:
    return client.request(method, path, headers={"Authorization": f"Bearer {token}"}).status_code


def test_calls_are_the_role_s_and_the_owner_reads_the_trail(tmp_path):
    server = AggregationServer(tmp_path, RANDOM, THREE, UNLIMITED)
    client = AppClient(server.app())
    nothing = f"/collections/{'0' * 64}"
    assert call(client, OPERATOR, "POST", "/keys") == 201
    assert call(client, COLLECTOR, "POST", "/keys") == 403
    assert call(client, OPERATOR, "POST", f"{nothing}/release") == 403
    assert call(client, COLLECTOR, "POST", f"{nothing}/release") == 404
    assert call(client, COLLECTOR, "GET", f"{nothing}/preview/label.json") == 404
    assert call(client, "x" * 32, "POST", "/keys") == 401
    assert call(client, OPERATOR, "GET", "/collections") == 200  # looking at counts is not written down
    assert call(client, OPERATOR, "GET", "/trail") == call(client, OPERATOR, "GET", "/metrics") == 403
    answer = client.get("/trail", headers={"Authorization": f"Bearer {OWNER}"})
    assert [(line["role"], line["call"]) for line in answer.json()["calls"]] == [
        ("operator", "POST /keys"),
        ("collector", f"POST {nothing}/release"),
        ("collector", f"GET {nothing}/preview/label.json"),
    ]
    server.close()


def test_a_trail_goes_on_after_a_crash_and_tells_a_change(tmp_path):
    Trail(tmp_path).add("operator", "POST /keys")
    path = tmp_path / "trail.jsonl"
    with path.open("a") as file:
        file.write('{"time": 1, "ro\n')  # cut short by a crash, then the next line
    again = Trail(tmp_path)
    again.add("owner", "GET /x")
    assert [line["role"] for line in again.lines()] == ["operator", "owner"]
    assert path.stat().st_mode & 0o777 == 0o600
    lines = path.read_text().splitlines()
    changed = {**json.loads(lines[0]), "role": "nobody"}
    path.write_text("\n".join([json.dumps(changed), *lines[1:]]) + "\n")
    with pytest.raises(InputError, match="changed"):
        Trail(tmp_path).lines()
    path.write_text("\n".join(lines[1:]) + "\n")  # the first line is missing
    with pytest.raises(InputError, match="changed"):
        Trail(tmp_path).lines()


def test_a_collection_is_cancelled_for_good(tmp_path):
    with SmallCrowd(tmp_path, count="users") as crowd:
        sent = [crowd.envelopes(crowd.member(), {"shared": 1}) for _ in range(5)]
        crowd.open_uploads()
        for one in sent[:4]:
            assert crowd.send(one).json()["accepted"] == 1
        headers = {"Authorization": f"Bearer {crowd.aggregation.token}"}
        for _ in range(2):  # asking again is fine
            assert crowd.client.post(f"{crowd.at}/cancel", headers=headers).json() == {"phase": "cancelled"}
        assert crowd.send(sent[4]).json()["rejected"] == 1
        assert crowd.publish().status_code == 410
        assert crowd.status()["phase"] == "cancelled"
        assert crowd.status()["stored"] == 0
        assert crowd.client.post(f"{crowd.at}/release", headers=headers).status_code == 410
        crowd.end()
        assert not list((tmp_path / "aggregation").glob("*.rows"))


def test_what_is_being_cancelled_is_never_published(tmp_path, monkeypatch):
    """The collector publishes while the operator's cancelling is under way."""
    with SmallCrowd(tmp_path, count="users") as crowd:
        reports = [crowd.envelopes(crowd.member(), {"shared": 1})[0] for _ in range(5)]
        crowd.open_uploads()
        assert crowd.send(reports).json()["accepted"] == 5
        crowd.end()
        statistics = crowd.statistics()
        destroy, asked = collections.destroy_secret, []

        def meanwhile(path):
            if not asked:
                answer = crowd.client.post(
                    f"{crowd.at}/publish",
                    json={"statistics": statistics},
                    headers={"Authorization": f"Bearer {TOKEN}"},
                )
                asked.append(answer.status_code)
            destroy(path)

        monkeypatch.setattr(collections, "destroy_secret", meanwhile)
        crowd.aggregation.cancel(crowd.manifest.id)
        assert asked == [410]
        assert crowd.status()["phase"] == "cancelled"


def test_what_a_crash_left_of_cancelling_is_done_at_the_next_start(tmp_path, monkeypatch):
    with SmallCrowd(tmp_path, count="users") as crowd:
        reports = crowd.envelopes(crowd.member(), {"shared": 1})
        crowd.open_uploads()
        assert crowd.send(reports).json()["accepted"] == 1

        def killed(_path):
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(collections, "destroy_secret", killed)
            with pytest.raises(KeyboardInterrupt):
                crowd.aggregation.cancel(crowd.manifest.id)
        folder = crowd.aggregation.folder
        assert list(folder.glob("*.rows"))
        again = AggregationServer(folder, RANDOM, TOKEN, UNLIMITED, owner=crowd.aggregation.owner)
        again.close()
        assert not [*folder.glob("*.rows"), *folder.glob("*.issuer")]
        assert (crowd.status()["phase"], crowd.status()["stored"]) == ("cancelled", 0)


def test_the_end_of_mining_is_planned_within_the_terms(tmp_path):
    with SmallCrowd(tmp_path, count="users") as crowd:
        now = [1000.0]
        crowd.server.clock = lambda: now[0]
        crowd.server.plan_closing(crowd.manifest.id, 2000)
        crowd.server.plan_closing(crowd.manifest.id, 3000)  # later, within the terms
        headers = {"Authorization": f"Bearer {crowd.server.token}"}
        path, far = f"/collections/{crowd.manifest.id}/closing", crowd.manifest.mining_until + 1
        assert crowd.randomness.post(path, json={"at": far}, headers=headers).status_code == 409
        for moment, state in ((2999.0, "open"), (3000.0, "destroyed")):
            now[0] = moment
            crowd.server.destroy_due()
            assert crowd.server.state(crowd.manifest.id)["state"] == state
        assert crowd.randomness.post(path, json={"at": 3500}, headers=headers).status_code == 410
