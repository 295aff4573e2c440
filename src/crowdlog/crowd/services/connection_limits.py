"""Limits on the connections of a service, before any request is complete: how many it holds, and how long a
request's head may take to arrive.

A client that trickles its headers would otherwise keep a connection for ever at no cost: no application sees
the request before its head is whole.
"""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

# So many times the allowed connections are answered with a sentence; more are dropped without one, which
# bounds the open files.
_ANSWERED = 2


def limited_protocol(most_connections: int, head_seconds: float) -> type[asyncio.Protocol]:
    """Return uvicorn's HTTP protocol with these two limits; its own refusals are plain text, these are our
    JSON.
    """

    class Door(H11Protocol):
        _due: asyncio.TimerHandle | None = None
        _refused = False

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > _ANSWERED * most_connections:
                transport.abort()
                return
            self._refused = len(self.connections) > most_connections
            self._expect_head()

        def data_received(self, data: bytes) -> None:
            # answered at its first bytes: an answer to an unsent request is lost when the connection is
            # closed
            if self._refused:
                self._answer(503, "Too many connections are open; wait a second and try again.")
                return
            before = self.cycle
            if self._due is None and (before is None or before.response_complete):
                self._expect_head()
            super().data_received(data)
            if self.cycle is not before:
                self._stop_waiting()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            self._answer(400, "This is not a request in HTTP/1.1.")

        def _expect_head(self) -> None:
            self._due = self.loop.call_later(head_seconds, self._too_slow, self.cycle)

        def _stop_waiting(self) -> None:
            if self._due is not None:
                self._due.cancel()
                self._due = None

        def _too_slow(self, before: Any) -> None:
            self._due = None
            if self.cycle is before:
                self._answer(408, f"The request did not arrive within {head_seconds:g} seconds.")

        def _answer(self, status: int, sentence: str) -> None:
            self._stop_waiting()
            if not self.transport.is_closing():
                self.transport.write(refusal(status, sentence))
                self.transport.close()

    return Door


def refusal(status: int, sentence: str) -> bytes:
    """Return a whole HTTP answer: one sentence, and the connection ends."""
    body = json.dumps({"error": sentence}).encode()
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\ncontent-length: "
        f"{len(body)}\r\n"
        "retry-after: 1\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
