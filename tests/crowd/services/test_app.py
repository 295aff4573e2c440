"""What all services share: who may call from a browser, and whose address a limit is about."""

import httpx
import pytest

from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.privacy.randomness import SystemRandomness
from tests.crowd.services.calling import AppClient
from tests.support.serving import served

CHROME = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
FIREFOX = "moz-extension://0b8f9a12-6f0e-4a9c-9e7b-1d2c3b4a5f60"


@pytest.fixture
def client(tmp_path):
    limits = Limits(requests_per_second=1, burst=4)
    server = RandomnessServer(tmp_path / "randomness", SystemRandomness(), "t" * 32, limits)
    yield AppClient(server.app())
    server.close()


def preflight(client: AppClient, origin: str, method: str = "POST"):
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    headers["Access-Control-Request-Headers"] = "content-type"
    return client.request("OPTIONS", f"/collections/{'0' * 64}/evaluate", headers=headers)


@pytest.mark.parametrize("origin", [CHROME, FIREFOX])
def test_an_extension_may_call_and_read_every_answer(client, origin):
    asked = preflight(client, origin)
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == origin
    assert "content-type" in asked.headers["access-control-allow-headers"].lower()
    answers = [client.get("/identity", headers={"Origin": origin}) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429]
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {origin}
    assert all("access-control-allow-credentials" not in answer.headers for answer in answers)


@pytest.mark.parametrize(
    "origin", ["https://study.example", "null", f"https://x.example/{CHROME}", f"{CHROME}.example"]
)
def test_a_web_page_may_not(client, origin):
    assert preflight(client, origin).status_code == 400
    assert "access-control-allow-origin" not in client.get("/identity", headers={"Origin": origin}).headers


def test_an_extension_has_no_use_of_the_operators_calls(client):
    assert preflight(client, CHROME, "DELETE").status_code == 400


@pytest.mark.slow
def test_limits_are_about_the_client_behind_a_trusted_proxy_only(tmp_path):
    def statuses(url: str, addresses: list[str]) -> list[int]:
        return [
            httpx.get(f"{url}/identity", headers={"X-Forwarded-For": one}, timeout=60).status_code
            for one in addresses
        ]

    many = [f"198.51.100.{number}, 127.0.0.1" for number in range(30)]
    limit = ("--rate", "1")  # ten at once
    with served("randomness", tmp_path / "trusting", *limit, "--trusted-proxy", "127.0.0.0/8") as service:
        assert statuses(service.url, many) == [200] * 30
        # what a client writes into the header itself stands before what the proxy adds
        one = [f"198.51.100.{number}, 203.0.113.9" for number in range(30)]
        assert 429 in statuses(service.url, one)
    with served("randomness", tmp_path / "plain", *limit) as service:
        assert 429 in statuses(service.url, many)
