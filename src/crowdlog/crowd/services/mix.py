"""A mix node: takes envelopes, removes its layer, forgets where they came from, and passes them on in
shuffled batches.

An envelope is acknowledged once it is on disk. It is kept under a keyed hash of its bytes, so the same
envelope counts once however often it comes, and the store holds no order of arrival. A batch is fixed on disk
before it is sent: after a crash exactly the same batch is sent again, and the next node knows it already.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.crypto.collection import MAX_LAYERS, MAX_REPORT
from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD, open_layer
from crowdlog.crowd.http import trusting
from crowdlog.crowd.request_chunks import MOST_ENVELOPES, request_chunks
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.batches import BatchStore
from crowdlog.crowd.services.fields import Bytes, Fields, Integer, ListOf, to_base64
from crowdlog.crowd.services.keyfile import own_key
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.storage import StorageDown, StorageFull
from crowdlog.crowd.shuffle import fraction
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

MOST_BYTES = MAX_REPORT + MAX_LAYERS * LAYER_OVERHEAD  # of one envelope
_POLL_SECONDS = 1.0
_RETRY_SECONDS = 0.5
ENVELOPES: Fields = {"envelopes": ListOf(Bytes(MOST_BYTES), MOST_ENVELOPES)}
COUNTED: Fields = {
    "accepted": Integer(0, 10**9),
    "duplicates": Integer(0, 10**9),
    "rejected": Integer(0, 10**9),
}
_COUNT = Integer(0, 2**62)
_KEY: Fields = {"public": Bytes(32, exact=True), "batch": _COUNT, "delay": Integer(0, 10**6)}
_STATUS: Fields = {
    "waiting": _COUNT,
    "leaving": _COUNT,
    "passed": _COUNT,
    "rejected": _COUNT,
    "smallest_batch": _COUNT,
}


@dataclass
class MixNode:
    """`batch`: fewest envelopes that leave together.

    `delay`: a full batch leaves after a random time of at most so many seconds.
    """

    folder: Path
    randomness: Randomness
    token: str
    limits: Limits
    next_url: str
    batch: int = 100
    delay: float = 60.0
    most_held: int = 1_000_000
    database_url: str | None = None
    cafile: str | None = None  # certificates to trust for the next node
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _drained: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._key = own_key(self.folder / "mix.key", self.randomness)
        # The hash key is made from the node's own secret, so that a restart still knows what it has seen.
        self._hash_key = hashlib.sha256(b"crowdlog mix seen" + self._key.to_bytes()).digest()
        self._batches = BatchStore(self.database_url, self.folder / "mix.sqlite")

    def app(self) -> Starlette:
        return build_app("crowdlog mix node", self)

    def close(self) -> None:
        self._batches.close()

    def operations(self) -> list[Operation]:
        return [
            Operation(
                "GET",
                "/key",
                "Tell the public key, the smallest batch and the longest delay.",
                self._show_key,
                _KEY,
            ),
            Operation(
                "POST", "/envelopes", "Take envelopes to pass on.", self._take, COUNTED, ENVELOPES, 202
            ),
            Operation(
                "GET", "/status", "Count what is held; no content.", self._status, _STATUS, operator=True
            ),
            Operation(
                "POST",
                "/drain",
                "Let what waits leave now, though it may be less than a batch.",
                self._drain,
                _STATUS,
                operator=True,
            ),
        ]

    async def _show_key(self, _request: Request) -> Response:
        return JSONResponse(
            {"public": to_base64(self._key.public), "batch": self.batch, "delay": int(self.delay)}
        )

    async def _take(self, request: Request) -> Response:
        envelopes = (await body_of(request, ENVELOPES))["envelopes"]
        counted = await run_in_threadpool(self.take, envelopes)
        self._arrived.set()
        return JSONResponse(counted, status_code=202)

    def take(self, envelopes: list[bytes]) -> dict[str, int]:
        """Open the layers that are ours and keep what is inside, on disk, each envelope once."""
        opened, rejected = [], 0
        for envelope in envelopes:
            try:
                inner = open_layer(self._key, envelope)
            except InputError:
                rejected += 1
                continue
            opened.append((hashlib.blake2b(envelope, key=self._hash_key, digest_size=16).digest(), inner))
        if not opened:
            raise Refused(400, "None of the envelopes is addressed to this node, or all are damaged.")
        if self._batches.held() + len(opened) > self.most_held:
            raise Refused(503, "This node holds as many envelopes as it may; try again later.")
        accepted = self._batches.keep(opened, rejected)
        return {"accepted": accepted, "duplicates": len(opened) - accepted, "rejected": rejected}

    async def _status(self, _request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._batches.status))

    async def _drain(self, _request: Request) -> Response:
        await run_in_threadpool(self._batches.form, 1)
        self._drained.set()
        self._arrived.set()
        return JSONResponse(await run_in_threadpool(self._batches.status))

    async def work(self) -> None:
        """Forever: when a batch is full, wait a random time, shuffle, send, forget."""
        async with httpx.AsyncClient(timeout=60, verify=trusting(self.cafile)) as client:
            while True:
                with suppress(StorageFull, StorageDown):
                    while (batch := await run_in_threadpool(self._batches.oldest)) is not None:
                        await self._send(client, batch)
                    self._drained.clear()  # an earlier drain must not shorten this batch's delay
                    if await run_in_threadpool(self._batches.form, self.batch):
                        await _wait(self._drained, fraction(self.randomness) * self.delay)
                        continue
                await _wait(self._arrived, _POLL_SECONDS)

    async def _send(self, client: httpx.AsyncClient, batch: int) -> None:
        envelopes = await run_in_threadpool(self._batches.shuffled, batch, self.randomness)
        for part in request_chunks(envelopes, len):
            while not await self._delivered(client, part):
                await asyncio.sleep(_RETRY_SECONDS)
        await run_in_threadpool(self._batches.forget, batch)

    async def _delivered(self, client: httpx.AsyncClient, envelopes: list[bytes]) -> bool:
        """Send; True when the next node has answered for good: taken, or (400) worth nothing to it."""
        body = {"envelopes": [to_base64(envelope) for envelope in envelopes]}
        try:
            answer = await client.post(f"{self.next_url}/envelopes", json=body)
        except httpx.TransportError:
            return False
        return answer.status_code in {202, 400}


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, but no longer than so many seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    event.clear()
