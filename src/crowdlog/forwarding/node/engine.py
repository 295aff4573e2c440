"""Submitting a query to the search engine: any address with {query} in it."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import quote

import httpx

from crowdlog.errors import CrowdlogError
from crowdlog.forwarding.node.sealing import MOST_TEXT, Answer

# An idle connection is given up before servers close it (uvicorn does after 5 s): a query that is sent into
# a connection while the other side closes it fails.
_IDLE_SECONDS = 2.0
_MOST_MEDIA = 100  # characters of a media type
# httpx writes the address of each request, and so the query, to its log.
logging.getLogger("httpx").disabled = True
logging.getLogger("httpcore").disabled = True


class EngineDown(CrowdlogError):  # noqa: N818 - a state of the network
    """The engine did not give an answer that can be passed on."""


class NodeEngine:
    def __init__(self, template: str, seconds: float) -> None:
        self._template, self._seconds = template, seconds
        limits = httpx.Limits(max_connections=100, keepalive_expiry=_IDLE_SECONDS)
        self._client = httpx.AsyncClient(timeout=seconds, follow_redirects=False, limits=limits)

    async def ask(self, query: str) -> Answer:
        """Return the engine's answer; EngineDown in one sentence that does not quote the query."""
        address = self._template.replace("{query}", quote(query, safe=""))
        try:
            async with asyncio.timeout(self._seconds):  # of all: httpx's own limit is for each piece
                return await self._asked(address)
        except TimeoutError as error:
            raise EngineDown(f"The search engine took longer than {self._seconds:g} seconds.") from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise EngineDown("The search engine cannot be reached.") from error

    async def _asked(self, address: str) -> Answer:
        body = bytearray()
        async with self._client.stream("GET", address) as answer:
            if answer.status_code != 200:
                raise EngineDown(f"The search engine answered {answer.status_code}.")
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > MOST_TEXT:
                    raise EngineDown(f"The search engine's answer is longer than {MOST_TEXT} bytes.")
        media = answer.headers.get("content-type", "text/plain")[:_MOST_MEDIA]
        return Answer(media, body.decode("utf-8", "replace"))

    async def close(self) -> None:
        await self._client.aclose()
