"""The check that nothing readable leaves would find what leaves in disguise."""

import base64

import pytest

from tests.extension.recording_proxy import Recorded

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
