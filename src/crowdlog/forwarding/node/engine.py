"""Submitting a query to the search engine: any address with {query} in it."""

from __future__ import annotations

import logging
from urllib.parse import quote

import httpx

from crowdlog.errors import CrowdlogError
from crowdlog.forwarding.node.sealing import Answer

_MOST_BYTES = 56 * 1024  # of an answer's body
# httpx writes the address of each request, and so the query, to its log.
logging.getLogger("httpx").disabled = True
logging.getLogger("httpcore").disabled = True


class EngineDown(CrowdlogError):  # noqa: N818 - a state of the network
    """The engine did not give an answer that can be passed on."""


class NodeEngine:
    def __init__(self, template: str, seconds: float) -> None:
        self._template = template
        self._client = httpx.AsyncClient(timeout=seconds, follow_redirects=False)

    async def ask(self, query: str) -> Answer:
        """Return the engine's answer; EngineDown in one sentence that does not quote the query."""
        address = self._template.replace("{query}", quote(query, safe=""))
        body = bytearray()
        try:
            async with self._client.stream("GET", address) as answer:
                if answer.status_code != 200:
                    raise EngineDown(f"The search engine answered {answer.status_code}.")
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > _MOST_BYTES:
                        raise EngineDown(f"The search engine's answer is longer than {_MOST_BYTES} bytes.")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise EngineDown("The search engine cannot be reached.") from error
        media = answer.headers.get("content-type", "text/plain")[:100]
        return Answer(media, bytes(body).decode("utf-8", "replace"))

    async def close(self) -> None:
        await self._client.aclose()
