"""The check that nothing readable leaves would find what leaves in disguise."""

import base64
import socket
from pathlib import Path

import httpx
import pytest

from tests.extension.recording_proxy import Recorded, RecordingProxy

QUERY = "rash after Travel"
BODIES = {
    "plain": QUERY.upper().encode(),
    "base64": b'{"submissions": ["' + base64.b64encode(b"xyz" + QUERY.encode()) + b'"]}',
    "base64 for addresses": base64.urlsafe_b64encode(b"\xff\xfe" + QUERY.encode()).rstrip(b"="),
    "hexadecimal": QUERY.encode().hex().encode(),
    "escaped": b"q=rash+after%20travel",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_text_is_found_however_it_is_written(body):
    assert Recorded("POST", "https://a.example/", {}, body).holds(QUERY)
    assert not Recorded("POST", "https://a.example/", {}, body).holds("rash after work")


def test_a_service_that_cannot_be_asked_is_told_with_the_reason(tmp_path: Path) -> None:
    """A page shows the sentence, so that a test that fails says why."""
    with socket.socket() as nobody, RecordingProxy(tmp_path).running() as proxy:
        nobody.bind(("127.0.0.1", 0))
        way = f"http://127.0.0.1:{proxy.port}"
        answer = httpx.get(f"http://127.0.0.1:{nobody.getsockname()[1]}/", proxy=way, timeout=60)
    told = {"error": "the tests' proxy could not ask: ConnectError"}
    assert (answer.status_code, answer.json()) == (502, told)
