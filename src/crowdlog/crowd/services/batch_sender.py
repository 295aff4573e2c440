"""What a mix does in the background: fetch the certificate that opens the uploads, form batches, send each
after a random time, and say when it is empty.

A batch is a random part of what waits, fixed on disk before it is sent; only what the next party has a
signed receipt for is forgotten, whatever else answers at its address. What is left leaves when the uploads
of the terms have ended: nobody can ask for that earlier.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
from starlette.concurrency import run_in_threadpool

from crowdlog.crowd.bounded_answers import ask
from crowdlog.crowd.http import trusting
from crowdlog.crowd.manifest import Manifest, Party
from crowdlog.crowd.request_chunks import request_chunks
from crowdlog.crowd.services.background import Pulse
from crowdlog.crowd.services.batches import BatchStore
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.handover import (
    ENDED,
    HEARD,
    TAKEN,
    batch_message,
    fetch_certificate,
    receipted,
)
from crowdlog.crowd.services.identity import Identity
from crowdlog.crowd.services.storage import StorageDown, StorageFull
from crowdlog.crowd.shuffle import fraction
from crowdlog.privacy.randomness import Randomness

_POLL_SECONDS = 1.0
_GATHER_SECONDS = 0.1  # many envelopes arrive between two looks, so that looking costs little
_HALVED = {400, 413, 500}  # too large for somebody on the way, or something in it is not liked
_PASSING = {409, 429, 503, 507}  # the next party's own refusals that pass by themselves


@dataclass
class BatchSender:
    """`pool` and `delay` as in `MixNode`; `clock` is asked whether the uploads have ended."""

    identity: Identity
    batches: BatchStore
    randomness: Randomness
    pool: int
    delay: float
    cafile: str | None
    clock: Callable[[], float]
    arrived: asyncio.Event = field(default_factory=asyncio.Event)  # set when there is something to do
    pulse: Pulse = field(default_factory=lambda: Pulse("sending batches"))
    _leaves: dict[tuple[str, int], float] = field(default_factory=dict)  # when, by this process's clock

    async def work(self) -> None:
        """Forever: look after every collection that has not ended."""
        async with httpx.AsyncClient(timeout=60, verify=trusting(self.cafile)) as client:
            while True:
                with self.pulse.heard(), suppress(StorageFull, StorageDown):
                    for name in await run_in_threadpool(self.batches.not_ended):
                        with self.pulse.heard(), suppress(httpx.HTTPError, StorageFull, StorageDown):
                            await self.look_after(client, name)
                self.pulse.beat()
                await _wait(self.arrived, _POLL_SECONDS)
                await asyncio.sleep(_GATHER_SECONDS)

    async def look_after(self, client: httpx.AsyncClient, name: str) -> None:
        """One step of a collection: fetch the certificate, form batches, send what may leave, end."""
        state, manifest = await run_in_threadpool(self._formed, name)
        if state == "waiting":
            await self._fetch_certificate(client, manifest)
            return
        while (batch := await run_in_threadpool(self.batches.oldest, name)) is not None:
            if state == "open" and not self._may_leave(name, batch):
                return
            if not await self.send(client, manifest, batch):
                return
        if state == "draining":
            await self._finish(client, manifest)

    def _formed(self, name: str) -> tuple[str, Manifest]:
        """Form what batches can be formed now; return the state of the collection and its terms."""
        state, destroyed, _certificate, manifest = self.batches.find(name)
        self.batches.note_turned_away(name)
        first = self.identity.place(manifest) == 1
        if state == "open" and first and self.clock() >= destroyed + manifest.upload_seconds:
            self.batches.drain(name)
            state = "draining"
        if state == "open":
            self.batches.form(name, self.pool)
        if state == "draining":  # at every look: a crash or a full disk may have stopped it before
            self.batches.form(name, 0)
        return state, manifest

    async def _fetch_certificate(self, client: httpx.AsyncClient, manifest: Manifest) -> None:
        found = await fetch_certificate(client, manifest)
        if found:
            await run_in_threadpool(self.batches.open, manifest.id, *found)

    def _may_leave(self, name: str, batch: int) -> bool:
        """A batch leaves after a random time; a restart begins that anew."""
        due = self._leaves.setdefault(
            (name, batch), time.monotonic() + fraction(self.randomness) * self.delay
        )
        return time.monotonic() >= due

    async def send(self, client: httpx.AsyncClient, manifest: Manifest, batch: int) -> bool:
        """Send a batch in parts and forget each that the next party has a receipt for; return whether all
        left.
        """
        rows = await run_in_threadpool(self.batches.shuffled, manifest.id, batch)
        parts = list(request_chunks(rows, lambda row: len(row[1])))
        while parts:
            part = parts.pop()
            envelopes = [inner for _name, inner in part]
            answer = await self.post(client, manifest, envelopes)
            outcome = self._outcome(manifest, envelopes, answer)
            if outcome:
                names = [name for name, _inner in part]
                await run_in_threadpool(self.batches.forget, manifest.id, names, outcome)
            elif answer.status_code in _HALVED and len(part) > 1:  # the rest must not wait for one of them
                half = len(part) // 2
                parts += [part[:half], part[half:]]
            else:  # all that is left stays, and leaves in another order at the next look
                await self._note_unproved(manifest, answer)
                return False
        return True

    async def post(
        self, client: httpx.AsyncClient, manifest: Manifest, envelopes: list[bytes]
    ) -> httpx.Response:
        """Hand envelopes, signed, to the next party; return its answer."""
        signature = self.identity.signing.sign("batch", batch_message(manifest, envelopes))
        body = {"envelopes": [to_base64(one) for one in envelopes], "signature": to_base64(signature)}
        return await ask(client, "POST", self._next(manifest, "batch"), body)

    def _outcome(self, manifest: Manifest, envelopes: list[bytes], answer: httpx.Response) -> str | None:
        """What the next party has signed of these envelopes; None where the answer may be anybody's."""
        party, message = self._party(manifest), batch_message(manifest, envelopes)
        if receipted(party, TAKEN, message, answer):
            return "passed"
        return "refused" if receipted(party, ENDED, message, answer) else None

    async def _note_unproved(self, manifest: Manifest, answer: httpx.Response) -> None:
        if answer.status_code not in _PASSING:
            await run_in_threadpool(self.batches.note_unproved, manifest.id)

    async def _finish(self, client: httpx.AsyncClient, manifest: Manifest) -> None:
        signature = self.identity.signing.sign("final", manifest.collection.id)
        body = {"signature": to_base64(signature)}
        answer = await ask(client, "POST", self._next(manifest, "final"), body)
        if receipted(self._party(manifest), HEARD, manifest.collection.id, answer):
            await run_in_threadpool(self.batches.end, manifest.id)
        else:
            await self._note_unproved(manifest, answer)

    def _party(self, manifest: Manifest) -> Party:
        return manifest.parties[self.identity.place(manifest) + 1]

    def _next(self, manifest: Manifest, call: str) -> str:
        return f"{self._party(manifest).url}/collections/{manifest.id}/{call}"


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, but no longer than so many seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    event.clear()
