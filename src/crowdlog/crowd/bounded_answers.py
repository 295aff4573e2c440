"""Answers of other parties, read no further than a service of crowdlog would write.

Whoever answers at an address may send without end, one byte a minute, or packed so that little becomes much.
So answers are asked for unpacked, and read up to a size and a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import httpx

UNPACKED = {"Accept-Encoding": "identity"}
MOST_SIGNED = 65_536  # bytes of a receipt, a certificate or a refusal
MOST_JSON = 32 * 2**20  # the longest is the public list: about 100,000 collections
MOST_FILE = 4 * 2**30  # of a crowd log; it goes to disk piece by piece
SECONDS = 300.0  # for all of an answer: the limit of httpx is for each piece
FILE_SECONDS = 3600.0  # for all of a file


class TooMuch(httpx.HTTPError):
    """The answer is longer than it may be, or packed."""


def pieces(answer: httpx.Response, most: int, seconds: float = SECONDS) -> Iterator[bytes]:
    """What an answer holds, piece by piece; TooMuch or ReadTimeout where it goes on and on."""
    _refuse_packed(answer)
    read, end = 0, time.monotonic() + seconds
    for piece in answer.iter_bytes():
        read += len(piece)
        if read > most:
            raise TooMuch("The answer is too long.")
        if time.monotonic() > end:
            raise httpx.ReadTimeout("The answer takes too long.")
        yield piece


async def ask(
    client: httpx.AsyncClient, method: str, url: str, body: Any = None, seconds: float = SECONDS
) -> httpx.Response:
    """Ask another party. Of an answer that cannot be one of ours its number is returned and no content, so
    that it is nobody's receipt.
    """
    content = b""
    try:
        async with (
            asyncio.timeout(seconds),
            client.stream(method, url, json=body, headers=UNPACKED) as answer,
        ):
            try:
                content = await _content(answer)
            except TooMuch:
                content = b""
    except TimeoutError as error:
        raise httpx.ReadTimeout("The answer takes too long.") from error
    return httpx.Response(answer.status_code, content=content)


async def _content(answer: httpx.Response) -> bytes:
    _refuse_packed(answer)
    content = bytearray()
    async for piece in answer.aiter_bytes():
        content += piece
        if len(content) > MOST_SIGNED:
            raise TooMuch("The answer is too long.")
    return bytes(content)


def _refuse_packed(answer: httpx.Response) -> None:
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise TooMuch("The answer is packed.")
