"""The node as one process: the protocol with neighbours, and an address on this machine to search from.

The page and its call answer on loopback, to requests that name it so, with the token that the page holds: a
web site in the same browser can neither read the page nor search through it.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.fields import AnyObject, Field, Integer, Text
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.openapi import Operation
from crowdlog.files.private import no_core_dumps
from crowdlog.forwarding.node.cover import cover_searches
from crowdlog.forwarding.node.engine import NodeEngine
from crowdlog.forwarding.node.forwarder import Forwarder, SearchFailed
from crowdlog.forwarding.node.messages import MOST_QUERY
from crowdlog.forwarding.node.settings import NodeSettings
from crowdlog.privacy.randomness import Randomness

_LOCAL = {"127.0.0.1", "localhost", "[::1]"}
# What the page says of neighbours: who has one gets queries from her alone, so that all others are her own.
_ONE = "Your only neighbour knows that what you send her is yours; more neighbours would hide you from her."
_SEVERAL = "None of your neighbours alone can be sure that it is yours; all of them together can."
_LIMITS = Limits(body_bytes=8 * 1024, requests_per_second=0)  # one person's own machine
_COUNTS = ("searches", "answered", "failed", "carried", "submitted", "refused", "unexpected")


class Node:
    """What `build_app` serves. `peers` is the socket on which neighbours call."""

    limits = _LIMITS

    def __init__(self, settings: NodeSettings, randomness: Randomness, peers: socket.socket) -> None:
        no_core_dumps()  # a core file would hold queries
        logging.getLogger("asyncio").disabled = True  # it quotes what a failed task worked on
        self.settings, self.randomness, self._peers = settings, randomness, peers
        self.token = settings.token or randomness.bytes(32).hex()
        self._engine = NodeEngine(settings.engine, settings.engine_seconds)
        self.forwarder = Forwarder(settings, self._engine, randomness)

    def app(self) -> Starlette:
        return build_app(f"crowdlog forwarding node {self.settings.name}", self)

    def operations(self) -> list[Operation]:
        answer: Mapping[str, Field] = {"media": Text(100), "body": Text(100_000, 0)}
        counts: dict[str, Field] = {
            name: Integer(0, 2**53) for name in (*_COUNTS, "neighbours", "connected", "malformed")
        }
        return [
            Operation("GET", "/", "A page to search from.", self._page, None),
            Operation(
                "POST", "/search", "Search through friends.", self._search, answer,
                body={"query": Text(MOST_QUERY)}, refusals=(403, 504), operator=True,
            ),
            Operation(
                "GET", "/status", "Counts since the start, no queries.", self._status,
                {**counts, "willing": AnyObject("Probability, in 1/10,000, to accept from each neighbour.")},
                refusals=(403,), operator=True,
            ),
        ]  # fmt: skip

    async def work(self) -> None:
        """Talk to neighbours until cancelled, and send cover where it is asked for."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.forwarder.links.run(self._peers))
            if self.settings.cover > 0:
                group.create_task(cover_searches(self.forwarder, self.settings.cover, self.randomness))

    def close(self) -> None:
        self._peers.close()

    async def _page(self, request: Request) -> Response:
        _only_local(request)
        nonce = self.randomness.bytes(16).hex()
        text = files("crowdlog.forwarding.node").joinpath("page.html").read_text("utf-8")
        text = text.replace("{{token}}", self.token).replace("{{nonce}}", nonce)
        text = text.replace("{{neighbours}}", _ONE if len(self.settings.neighbours) == 1 else _SEVERAL)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; "
            "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        kept_nowhere = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
        return HTMLResponse(text, headers=kept_nowhere)

    async def _search(self, request: Request) -> Response:
        _only_local(request)
        query = (await body_of(request, {"query": Text(MOST_QUERY)}))["query"]
        try:
            answer = await self.forwarder.search(query)
        except SearchFailed as error:
            raise Refused(504, str(error)) from error
        return JSONResponse(
            {"media": answer.media, "body": answer.text}, headers={"Cache-Control": "no-store"}
        )

    async def _status(self, request: Request) -> Response:
        _only_local(request)
        links = self.forwarder.links
        counts: dict[str, Any] = {name: self.forwarder.counts[name] for name in _COUNTS}
        counts |= {
            "neighbours": len(self.settings.neighbours),
            "connected": len(links.open),
            "malformed": links.refused,
            "willing": self.forwarder.willing,
        }
        return JSONResponse(counts)


def _only_local(request: Request) -> None:
    """A name that somebody else's DNS points here is not ours."""
    host = request.headers.get("host", "").rsplit(":", 1)[0]
    if host not in _LOCAL:
        raise Refused(403, "This page is for this machine alone: open it as http://127.0.0.1.")
