"""Whoever answers at a party's address cannot fill the memory or the disk of who asks, nor hold her up."""

import asyncio
import time

import httpx
import pytest

from crowdlog.crowd import bounded_answers, http
from crowdlog.crowd.bounded_answers import MOST_JSON, MOST_SIGNED, ask, pieces
from crowdlog.crowd.http import Connection, Unreachable
from crowdlog.errors import InputError
from tests.support.hostile_server import hostile_server

ON_THE_WAY = 16 * 2**20  # what sockets hold


@pytest.fixture
def server():
    with hostile_server() as running:
        yield running


@pytest.fixture
def url(server):
    return f"http://127.0.0.1:{server.server_port}"


def asked(url: str, seconds: float = 60) -> httpx.Response:
    async def step() -> httpx.Response:
        async with httpx.AsyncClient() as client:
            return await ask(client, "POST", url, {"envelopes": []}, seconds)

    return asyncio.run(step())


@pytest.mark.parametrize("status", [200, 202, 400, 500])
def test_a_service_reads_no_more_than_a_receipt_can_have(server, url, status):
    server.status = status
    answer = asked(f"{url}/endless")
    assert (answer.status_code, answer.content) == (status, b"")
    assert server.sent < MOST_SIGNED + ON_THE_WAY


def test_a_service_unpacks_nothing(url):
    assert asked(f"{url}/packed").content == b""


def test_a_service_waits_for_all_of_an_answer_only_so_long(url):
    start = time.monotonic()
    with pytest.raises(httpx.ReadTimeout):
        asked(f"{url}/slow", seconds=1)
    assert time.monotonic() - start < 10


def test_a_volunteer_reads_no_more_than_the_longest_list(server, url):
    with Connection(url) as line, pytest.raises(InputError, match="does not answer as a service"):
        line.call("GET", "/endless")
    assert MOST_JSON < server.sent < MOST_JSON + ON_THE_WAY


@pytest.mark.parametrize("path", ["/endless", "/packed"])
@pytest.mark.parametrize(("status", "kind"), [(400, InputError), (429, Unreachable), (502, Unreachable)])
def test_a_volunteer_reads_no_more_than_a_sentence_of_a_refusal(server, url, status, kind, path):
    """A page that a proxy shows while the service is away is none, and is tried again all the same."""
    server.status = status
    with Connection(url, retries=0) as line, pytest.raises(kind, match=f"It answered {status}"):
        line.call("GET", path)
    assert server.sent < MOST_SIGNED + ON_THE_WAY


def test_a_volunteer_unpacks_nothing(url):
    with Connection(url) as line, pytest.raises(InputError, match="does not answer as a service"):
        line.call("GET", "/packed")


def test_a_volunteer_waits_for_all_of_an_answer_only_so_long(url, monkeypatch):
    monkeypatch.setattr(http, "pieces", lambda answer, most, _seconds: pieces(answer, most, seconds=0.5))
    with Connection(url, retries=0) as line, pytest.raises(Unreachable):
        line.call("GET", "/slow")


def test_a_file_of_a_crowd_log_may_take_longer(url, tmp_path, monkeypatch):
    """A hundred megabytes over a line of a household take more than five minutes."""
    given = []

    def hurried(answer, most, seconds=bounded_answers.SECONDS):
        given.append(seconds)
        return pieces(answer, most, seconds / 1000)

    monkeypatch.setattr(http, "pieces", hurried)
    with Connection(url, retries=0) as line:
        with pytest.raises(Unreachable):
            line.call("GET", "/slow")
        with pytest.raises(Unreachable):
            line.fetch("/slow", tmp_path / "queries.parquet")
    assert given[0] == bounded_answers.SECONDS
    assert given[1] >= 3600


def test_a_file_of_a_crowd_log_has_an_end(server, url, tmp_path, monkeypatch):
    monkeypatch.setattr(http, "MOST_FILE", 10**6)
    with Connection(url) as line, pytest.raises(InputError, match="does not answer as a service"):
        line.fetch("/endless", tmp_path / "label.json")
    assert (tmp_path / "label.json").stat().st_size <= 10**6
    assert bounded_answers.MOST_FILE > 10**9
