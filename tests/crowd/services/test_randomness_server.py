from contextlib import ExitStack
from pathlib import Path

import pytest

from crowdlog.crowd.client.reports import decoded
from crowdlog.crowd.crypto.voprf import Evaluation, blind, finalize
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.randomness import RandomnessServer
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, TOKEN, UNLIMITED


@pytest.fixture
def opened():
    """Makes servers that are closed at the end."""
    with ExitStack() as stack:

        def make(folder: Path, **options) -> RandomnessServer:
            made = RandomnessServer(
                folder, RANDOM, TOKEN, **{"limits": UNLIMITED, "elements_per_second": 0, **options}
            )
            stack.callback(made.close)
            return made

        yield make


def _evaluate(client: AppClient, public: str, elements: list[bytes]):
    return client.post(
        f"/keys/{public}/evaluate", json={"elements": [to_base64(element) for element in elements]}
    )


def _element() -> bytes:
    return blind(b"x", RANDOM).element


def test_the_same_input_gives_the_same_output_and_the_proof_holds(opened, tmp_path):
    client = AppClient(opened(tmp_path).app())
    public = client.post("/keys", json={"budget": 100}, headers=OPERATOR).json()["public"]
    outputs = []
    for _ in range(2):
        blinded = [blind(text, RANDOM) for text in (b"one", b"two")]
        answer = _evaluate(client, public, [item.element for item in blinded])
        outputs.append(
            finalize(
                bytes.fromhex(public), blinded, Evaluation.from_bytes(decoded(answer.json(), "evaluation"))
            )
        )
    assert outputs[0] == outputs[1]
    assert outputs[0][0] != outputs[0][1]


def test_a_destroyed_key_is_gone_from_disk_and_refused_for_good(opened, tmp_path):
    client = AppClient(opened(tmp_path).app())
    public = client.post("/keys", json={"budget": 100}, headers=OPERATOR).json()["public"]
    secret = (tmp_path / f"{public}.key").read_bytes()
    for _ in range(2):  # destroying twice is fine
        assert client.delete(f"/keys/{public}", headers=OPERATOR).json()["state"] == "destroyed"
    for running in (client, AppClient(opened(tmp_path).app())):  # also after a restart
        assert running.get(f"/keys/{public}").json()["state"] == "destroyed"
        answer = _evaluate(running, public, [_element()])
        assert answer.status_code == 410
        assert "destroyed" in answer.json()["error"]
    assert not any(secret in path.read_bytes() for path in tmp_path.iterdir())


def test_a_restart_finishes_a_destruction_that_was_cut_short(opened, tmp_path):
    server = opened(tmp_path)
    public = server.create_key(10)
    with server._database.transaction() as t:  # killed right after the destruction was recorded
        t.run("UPDATE keys SET state = 'destroyed'")
    assert (tmp_path / f"{public}.key").exists()
    opened(tmp_path)
    assert not (tmp_path / f"{public}.key").exists()


def test_the_budget_of_a_key_holds(opened, tmp_path):
    server = opened(tmp_path)
    client, public = AppClient(server.app()), server.create_key(3)
    assert [_evaluate(client, public, [_element()] * 2).status_code for _ in range(2)] == [200, 429]
    assert [_evaluate(client, public, [_element()]).status_code for _ in range(2)] == [200, 429]


def test_one_address_gets_so_many_elements_a_second(opened, tmp_path):
    server = opened(tmp_path, elements_per_second=1e-6)
    client, public = AppClient(server.app()), server.create_key(10**6)
    element = _element()
    assert _evaluate(client, public, [element] * 990).status_code == 200
    answer = _evaluate(client, public, [element] * 990)
    assert answer.status_code == 429
    assert "address" in answer.json()["error"]


def test_requests_are_limited_too(opened, tmp_path):
    server = opened(tmp_path, limits=Limits(requests_per_second=1e-6, burst=2))
    client = AppClient(server.app())
    assert [client.get("/openapi.json").status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer wröng".encode()}]
)
def test_keys_are_the_operators(opened, tmp_path, headers):
    client = AppClient(opened(tmp_path).app())
    assert client.post("/keys", json={"budget": 1}, headers=headers).status_code == 401
    assert client.delete(f"/keys/{'0' * 64}", headers=headers).status_code == 401


@pytest.mark.parametrize(
    "elements", [[], ["AAAA"], [to_base64(b"\xff" * 32)], [to_base64(bytes(32))], "x", [1]]
)
def test_bad_elements_are_refused(opened, tmp_path, elements):
    server = opened(tmp_path)
    client, public = AppClient(server.app()), server.create_key(10)
    answer = client.post(f"/keys/{public}/evaluate", json={"elements": elements})
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}


def test_an_unknown_key_is_not_found(opened, tmp_path):
    client = AppClient(opened(tmp_path).app())
    assert client.get(f"/keys/{'0' * 64}").status_code == 404
    assert _evaluate(client, "0" * 64, [_element()]).status_code == 404
    assert client.get("/nowhere").json()["error"].startswith("Not Found")


def test_postgresql_works_as_well(opened, tmp_path, postgres_url):
    server = opened(tmp_path, database_url=postgres_url)
    client, public = AppClient(server.app()), server.create_key(10)
    assert _evaluate(client, public, [_element()]).status_code == 200
    server.destroy_key(public)
    assert _evaluate(client, public, [_element()]).status_code == 410
