"""What one request may take: its size, the time to arrive, and how many come from one address.

Addresses are forgotten within seconds.

Addresses are kept in memory only, as a keyed hash, for as long as their allowance is not full again.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crowdlog.privacy.randomness import Randomness

# Above this many addresses the full allowances are swept out: bounds memory in a flood from many sources.
_SWEEP_ABOVE = 10_000
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")  # IPv4 in IPv6 (RFC 6052)
_WITH_PORT = re.compile(r"\[([^]]*)\](?::.*)?|(\d+\.[\d.]+):.*")  # as some reverse proxies write addresses


@dataclass(frozen=True)
class Limits:
    """The limits of one service."""

    body_bytes: int = 2 * 2**20
    read_seconds: float = 10.0
    requests_per_second: float = 50.0
    burst: int = 100


class Allowance:
    """A token bucket per address: `rate` tokens a second, at most `burst` saved up.

    A rate of 0 means no limit.
    """

    def __init__(
        self, rate: float, burst: float, randomness: Randomness, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._key = randomness.bytes(32)
        self._left: dict[bytes, tuple[float, float]] = {}

    def take(self, address: str, cost: float = 1) -> bool:
        """Take `cost` tokens of this address; False if it has not that many left."""
        if self._rate == 0:
            return True
        now, who = self._clock(), hashlib.blake2b(address.encode(), key=self._key, digest_size=16).digest()
        left, then = self._left.get(who, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        allowed = left >= cost
        self._left[who] = (left - cost if allowed else left, now)
        if len(self._left) > _SWEEP_ABOVE:
            self._sweep(now)
        return allowed

    def _sweep(self, now: float) -> None:
        refill = self._burst / self._rate
        self._left = {who: entry for who, entry in self._left.items() if now - entry[1] < refill}


def address_of(scope: Scope) -> str:
    """Return the sender's address as the socket gives it; headers that anybody can write are not believed.
    Of IPv6 the network of 64 bits, because whoever has one address there has all of them, or the address of
    IPv4 that it carries.
    """
    client = scope.get("client")
    address = str(client[0]) if client else "local"
    with_port = _WITH_PORT.fullmatch(address)
    try:
        whole = ipaddress.ip_address((with_port[1] or with_port[2]) if with_port else address)
    except ValueError:  # a reverse proxy wrote something else
        return address
    if isinstance(whole, ipaddress.IPv4Address):
        return str(whole)
    if whole in _TRANSLATED:
        return str(ipaddress.IPv4Address(int(whole) & 0xFFFFFFFF))
    return str(whole.ipv4_mapped or ipaddress.IPv6Network((int(whole), 64), strict=False))


class LimitRequests:
    """ASGI middleware: refuses with 429, 413 or 408 before the service sees the request, and hands on a body
    that is complete.
    """

    def __init__(self, app: ASGIApp, limits: Limits, randomness: Randomness) -> None:
        self._app, self._limits = app, limits
        self._allowance = Allowance(limits.requests_per_second, limits.burst, randomness)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not self._allowance.take(address_of(scope)):
            await _refuse(send, 429, "Too many requests came from this address; wait a second and try again.")
            return
        try:
            body = await asyncio.wait_for(self._read(receive), self._limits.read_seconds)
        except TimeoutError:
            await _refuse(
                send, 408, f"The request did not arrive within {self._limits.read_seconds:g} seconds."
            )
            return
        if body is None:
            await _refuse(
                send, 413, f"The request is larger than {self._limits.body_bytes} bytes; send less at a time."
            )
            return
        await self._app(scope, _replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the whole body, or None as soon as it is too large."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return bytes(body)  # the sender hung up: what came is judged as it is
            body += message.get("body", b"")
            if len(body) > self._limits.body_bytes:
                return None
            if not message.get("more_body", False):
                return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    pending = [body]

    async def replay() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return replay


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"1"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
