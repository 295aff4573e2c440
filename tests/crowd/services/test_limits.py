import asyncio
import json

import pytest

from crowdlog.crowd.services.limits import Allowance, LimitRequests, Limits, address_of
from crowdlog.privacy.randomness import SeededRandomness


def test_an_allowance_is_used_up_and_refills():
    now = [0.0]
    allowance = Allowance(2.0, 4, SeededRandomness(1), lambda: now[0])
    assert [allowance.take("a") for _ in range(5)] == [True] * 4 + [False]
    assert allowance.take("b")  # another address has its own
    now[0] = 1.0
    assert [allowance.take("a") for _ in range(3)] == [True, True, False]
    assert not allowance.take("a", cost=100)


def test_addresses_are_swept_out_when_they_are_many():
    now = [0.0]
    allowance = Allowance(1.0, 2, SeededRandomness(1), lambda: now[0])
    for number in range(10_000):
        allowance.take(str(number))
    now[0] = 100.0
    allowance.take("last")
    assert len(allowance._left) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("::1", "::2", True),
        ("64:ff9b::192.0.2.1", "192.0.2.1", True),  # IPv4 behind a translator of the well-known prefix
        ("64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2", False),
        ("64:ff9b:1::1", "64:ff9b:1::2", True),
        ("[2001:db8:1:2::1]:4711", "2001:db8:1:2::9", True),  # as some proxies write X-Forwarded-For
        ("[2001:db8:1:2::1]", "[2001:db8:1:2::9]:x", True),
        ("[::ffff:192.0.2.1]:1", "192.0.2.1:2", True),
        ("192.0.2.1:1", "192.0.2.2:1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("no: address", "no: other", False),
        ("[no: address]:1", "[no: other]:1", False),
        ("localhost:1", "localhost:2", False),
    ],
)
def test_who_has_a_network_of_addresses_is_one_client(one, other, same):
    assert (address_of({"client": (one, 1)}) == address_of({"client": (other, 2)})) is same


async def _echo(scope, receive, send):
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def _ask(
    limits: Limits, messages: list[dict], *, forever: bool = False, times: int = 1
) -> tuple[list[int], list[bytes]]:
    """Send the same request some times; return the statuses and bodies."""
    statuses, bodies = [], []

    async def send(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        else:
            bodies.append(message["body"])

    async def once(app):
        pending = iter(messages)

        async def receive():
            if forever:
                await asyncio.sleep(3600)
            return next(pending)

        await app({"type": "http", "client": ("10.0.0.1", 1)}, receive, send)

    async def all_of_them():
        app = LimitRequests(_echo, limits, SeededRandomness(1))
        for _ in range(times):
            await once(app)

    asyncio.run(all_of_them())
    return statuses, bodies


def _part(body: bytes, more: bool = False) -> dict:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_parts_arrives_whole():
    assert _ask(Limits(), [_part(b"one ", True), _part(b"two")]) == ([200], [b"one two"])


def test_a_large_body_is_refused_as_soon_as_it_is_too_large():
    statuses, bodies = _ask(Limits(body_bytes=5), [_part(b"123", True), _part(b"456", True)])
    assert statuses == [413]
    assert "larger than 5 bytes" in json.loads(bodies[0])["error"]


def test_a_body_that_never_comes_is_refused():
    statuses, bodies = _ask(Limits(read_seconds=0.01), [], forever=True)
    assert statuses == [408]
    assert "did not arrive" in json.loads(bodies[0])["error"]


def test_too_many_requests_are_refused():
    statuses, _bodies = _ask(Limits(requests_per_second=1e-9, burst=3), [_part(b"x")], times=5)
    assert statuses == [200, 200, 200, 429, 429]
