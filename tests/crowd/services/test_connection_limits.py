"""Each service as a process: trickled headers are cut off by the service itself, and too many connections are
told so in JSON.
"""

import json
import socket
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from crowdlog.crowd.http import Connection
from tests.support.serving import served

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]
SERVICES = ["randomness", "mix", "aggregation"]


@contextmanager
def _served(service: str, folder: Path, *options: str):
    """A running service; yields its host and port."""
    with served(service, folder / "data", *options) as running:
        host, port = running.url.removeprefix("http://").split(":")
        yield host, int(port)
        assert running.process.poll() is None


def _answer(opened: socket.socket) -> tuple[int, dict]:
    """Read an answer to the end of the connection."""
    data = b""
    while part := opened.recv(4096):
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    return int(head.split()[1]), json.loads(body)


def _trickled(where: tuple[str, int], first: bytes) -> tuple[int, dict]:
    """Send a head byte by byte, without end, until the service answers."""
    with socket.create_connection(where, timeout=0.1) as slow:
        slow.sendall(first)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                slow.sendall(b"x")
                if slow.recv(1, socket.MSG_PEEK):
                    break
            except TimeoutError:
                continue
        slow.settimeout(60)
        return _answer(slow)


@pytest.mark.parametrize("service", SERVICES)
def test_a_trickle_of_headers_is_cut_off(service, tmp_path):
    with _served(service, tmp_path, "--read-seconds", "1") as where:
        for first in (b"", b"GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Slow: "):
            status, body = _trickled(where, first)
            assert status == 408
            assert body == {"error": "The request did not arrive within 1 seconds."}
        with socket.create_connection(where, timeout=60) as silent:  # says nothing at all
            assert _answer(silent)[0] == 408
        with socket.create_connection(where, timeout=60) as noise:
            noise.sendall(b"\0\1\2\r\n\r\n")
            assert _answer(noise) == (400, {"error": "This is not a request in HTTP/1.1."})
        _after_an_answer(where)


def _after_an_answer(where: tuple[str, int]) -> None:
    """A connection that was answered once may not trickle its second request either."""
    with socket.create_connection(where, timeout=60) as kept:
        kept.sendall(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += kept.recv(4096)
        assert b" 404 " in answer.splitlines()[0]
        kept.sendall(b"GET /nothing HTTP/1.1\r\nX-Slow: ")
        assert _answer(kept)[0] == 408


@pytest.mark.parametrize("service", SERVICES)
def test_too_many_connections_are_told_so(service, tmp_path):
    with (
        _served(service, tmp_path, "--connections", "4", "--read-seconds", "60") as where,
        ExitStack() as stack,
    ):
        held = [stack.enter_context(socket.create_connection(where, timeout=60)) for _ in range(4)]
        with socket.create_connection(where, timeout=60) as fifth:
            fifth.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
            assert _answer(fifth) == (
                503,
                {"error": "Too many connections are open; wait a second and try again."},
            )
        for opened in held:
            opened.close()
        with Connection("http://{}:{}".format(*where), retries=20) as connection:  # a place is free again
            assert connection.call("GET", "/openapi.json")["openapi"]
