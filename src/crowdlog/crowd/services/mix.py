"""A mix node: takes envelopes, removes its layer, forgets where they came from, and passes them on in
shuffled batches.

The first mix lets an envelope in for one slot of a member's credential, so nobody else can fill a batch, and
nothing links two slots of one member. Every later node takes what the node before it has signed. An envelope
has the one length its collection prescribes; anything else is refused at the door. It is acknowledged once it
is on disk. A batch is a random part of what waits, fixed on disk before it is sent; only what the next node
has acknowledged is forgotten. What is left leaves when the uploads of the terms have ended: nobody can ask
for that earlier.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.certificate import certified
from crowdlog.crowd.crypto.collection import MAX_LAYERS, MAX_REPORT
from crowdlog.crowd.crypto.credential import shown
from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD, open_layer
from crowdlog.crowd.crypto.signing import signed
from crowdlog.crowd.http import trusting
from crowdlog.crowd.manifest import Manifest, Party, canonical
from crowdlog.crowd.request_chunks import MOST_ENVELOPES, request_chunks
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.batches import COUNTS, STATES, BatchStore, Taken
from crowdlog.crowd.services.fields import AnyObject, Bytes, Choice, Fields, Integer, ListOf, Text, to_base64
from crowdlog.crowd.services.identity import (
    CERTIFICATE,
    IDENTITY,
    JOIN,
    JOINED,
    SIGNATURE,
    Identity,
)
from crowdlog.crowd.services.keyfile import own_key
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.storage import StorageDown, StorageFull
from crowdlog.crowd.shuffle import fraction
from crowdlog.crowd.slots import SUBMISSION_OVERHEAD, Submission
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

MOST_BYTES = MAX_REPORT + MAX_LAYERS * LAYER_OVERHEAD  # of one envelope
_POLL_SECONDS = 1.0
_HEX_ID = "^[0-9a-f]{64}$"
_COUNT = Integer(0, 2**62)
SUBMISSIONS: Fields = {"submissions": ListOf(Bytes(SUBMISSION_OVERHEAD + MOST_BYTES), MOST_ENVELOPES)}
BATCH: Fields = {"envelopes": ListOf(Bytes(MOST_BYTES), MOST_ENVELOPES), "signature": SIGNATURE}
FINAL: Fields = {"signature": SIGNATURE}
COUNTED: Fields = {"accepted": _COUNT, "duplicates": _COUNT, "rejected": _COUNT}
REGISTER: Fields = {"manifest": AnyObject("The terms of a collection.")}
AGREED: Fields = {"id": Text(), "signature": Text()}
STATE: Fields = {"state": Text()}
_MADE: Fields = {"public": Bytes(32, exact=True), "issuer": Bytes(64, exact=True)}
_SHOWN: Fields = {
    "state": Choice(STATES),
    "signature": Text(),
    "ends": _COUNT,
    "pool": _COUNT,
    "delay": _COUNT,
    **CERTIFICATE,
}
_STATUS: Fields = {"held": _COUNT, **dict.fromkeys(COUNTS, _COUNT)}
_STATISTICS: Fields = {"statistics": AnyObject("What this mix has counted."), "signature": Text()}


@dataclass
class MixNode:
    """`pool`: how many envelopes always stay behind; as many at least leave together.

    `delay`: a batch leaves after a random time of at most so many seconds.
    """

    folder: Path
    randomness: Randomness
    token: str
    limits: Limits
    pool: int = 50
    delay: float = 60.0
    most_held: int = 1_000_000
    database_url: str | None = None
    cafile: str | None = None  # certificates to trust for other nodes
    owner: str = "unnamed"
    clock: Callable[[], float] = time.time
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.identity = Identity(self.folder, self.owner, self.randomness)
        self._key = own_key(self.folder / "mix.key", self.randomness)
        # The hash key is made from the node's own secret, so that a restart still knows what it has seen.
        self._hash_key = hashlib.sha256(b"crowdlog mix seen" + self._key.to_bytes()).digest()
        self._batches = BatchStore(self.database_url, self.folder, self.randomness)
        self._manifests: dict[str, Manifest] = {}
        self._leaves: dict[
            tuple[str, int], float
        ] = {}  # when a batch may leave, by the clock of this process

    def app(self) -> Starlette:
        return build_app("crowdlog mix node", self, self)

    @property
    def public(self) -> bytes:
        """The key that envelopes are sealed to."""
        return self._key.public

    def close(self) -> None:
        self._batches.close()

    def operations(self) -> list[Operation]:
        one: dict[str, Any] = {"parameters": {"id": _HEX_ID}}
        at = "/collections/{id}"
        return [
            Operation("GET", "/identity", "Tell who runs this service.", self._identity, IDENTITY),
            Operation("POST", "/keys", "Make keys.", self._make, _MADE, status=201, operator=True),
            Operation(
                "POST",
                "/collections",
                "Agree to terms.",
                self._register,
                AGREED,
                REGISTER,
                201,
                operator=True,
            ),
            Operation("GET", at, "Tell whether envelopes are taken.", self._show, _SHOWN, **one),
            Operation(
                "POST",
                f"{at}/credentials",
                "First mix: issue a credential for envelopes.",
                self._join,
                JOINED,
                JOIN,
                201,
                (403, 410),
                **one,
            ),
            Operation(
                "POST",
                f"{at}/envelopes",
                "First mix: take members' envelopes.",
                self._take,
                COUNTED,
                SUBMISSIONS,
                202,
                (403, 409),
                **one,
            ),
            Operation(
                "POST",
                f"{at}/batch",
                "Take envelopes of the mix before.",
                self._take_batch,
                COUNTED,
                BATCH,
                202,
                (403, 409),
                **one,
            ),
            Operation(
                "POST",
                f"{at}/final",
                "The mix before has passed on all it had.",
                self._final,
                STATE,
                FINAL,
                refusals=(403, 409),
                **one,
            ),
            Operation("GET", f"{at}/status", "Count.", self._status, _STATUS, operator=True, **one),
            Operation(
                "GET",
                f"{at}/statistics",
                "What was passed on, signed, once all is.",
                self._statistics,
                _STATISTICS,
                refusals=(409,),
                **one,
            ),
        ]

    async def _identity(self, _request: Request) -> Response:
        return JSONResponse(self.identity.as_json())

    async def _make(self, _request: Request) -> Response:
        issuer = await run_in_threadpool(self.identity.make_issuer)
        return JSONResponse({"public": to_base64(self.public), "issuer": to_base64(issuer)}, status_code=201)

    async def _register(self, request: Request) -> Response:
        manifest = Manifest.from_json((await body_of(request, REGISTER))["manifest"])
        signature = await run_in_threadpool(self.register, manifest)
        return JSONResponse({"id": manifest.id, "signature": signature}, status_code=201)

    def register(self, manifest: Manifest) -> str:
        """Agree to carry the envelopes of a collection."""
        place = self.identity.holds(manifest, "mix")
        first = place == 1
        if first:
            self.identity.holds(manifest, "mix", "admission")
        if manifest.collection.mix_publics[place - 1] != self._key.public:
            raise Refused(400, "The collection does not use this mix's key in its place.")
        self._batches.register(manifest)
        return self.identity.agree(manifest)

    async def _show(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.state, request.path_params["id"]))

    def state(self, collection_id: str) -> dict[str, Any]:
        """What anybody may know: a client asks here, and nowhere else, whether the time to send has come."""
        state, destroyed, certificate, manifest = self._batches.find(collection_id)
        return {
            "state": state,
            "signature": self.identity.agree(manifest),
            "destroyed": destroyed,
            "certificate": certificate,
            "ends": destroyed + manifest.upload_seconds if destroyed else 0,
            "pool": self.pool,
            "delay": int(self.delay),
        }

    async def _join(self, request: Request) -> Response:
        body = await body_of(request, JOIN)
        name = request.path_params["id"]
        credential = await run_in_threadpool(self.join, name, body["request"], body["ticket"])
        return JSONResponse({"credential": to_base64(credential)}, status_code=201)

    def join(self, collection_id: str, request: bytes, ticket: bytes) -> bytes:
        """Issue the credential for envelopes to somebody with a ticket."""
        return self.identity.admit(self._manifest(collection_id), "admission", request, ticket)[1]

    async def _take(self, request: Request) -> Response:
        packed = (await body_of(request, SUBMISSIONS))["submissions"]
        counted = await run_in_threadpool(self.take, request.path_params["id"], packed)
        self._arrived.set()
        return JSONResponse(counted, status_code=202)

    def take(self, collection_id: str, packed: Sequence[bytes]) -> dict[str, int]:
        """Check slots, open the layers that are ours and keep what is inside, on disk."""
        manifest = self._manifest(collection_id)
        if self._place(manifest) != 1:
            raise Refused(403, "Members' envelopes go to the first mix.")
        self._refuse_late(collection_id)
        size = SUBMISSION_OVERHEAD + self._length(manifest)
        key = self.identity.issuer(manifest.collection.admission_issuer)
        taken: list[Taken] = []
        for data in packed:
            if len(data) != size:
                raise Refused(400, f"A submission of this collection has {size} bytes, got {len(data)}.")
            one = Submission.parse(data)
            named = [(manifest.collection.slot_context("admission", one.slot), one.name)]
            if not shown(key, one.proof, named, one.envelope):
                raise Refused(403, "An envelope comes without a credential of this collection; join first.")
            taken.append((one.name, self._digest(one.envelope), open_layer(self._key, one.envelope)))
        return self._kept(collection_id, taken, 0)

    async def _take_batch(self, request: Request) -> Response:
        body = await body_of(request, BATCH)
        name = request.path_params["id"]
        counted = await run_in_threadpool(self.take_batch, name, body["envelopes"], body["signature"])
        self._arrived.set()
        return JSONResponse(counted, status_code=202)

    def take_batch(self, collection_id: str, envelopes: Sequence[bytes], signature: bytes) -> dict[str, int]:
        """Take what the mix before has signed; what does not open here is counted and left out."""
        manifest = self._manifest(collection_id)
        before = self._neighbour(manifest, -1)
        if not batch_signed(before, manifest, envelopes, signature):
            raise Refused(403, "The mix before this one did not sign these envelopes.")
        length, taken, rejected = self._length(manifest), [], 0
        for envelope in envelopes:
            inner = self._opened(envelope, length)
            if inner is None:
                rejected += 1
                continue
            digest = self._digest(envelope)
            taken.append((digest, digest, inner))
        return self._kept(collection_id, taken, rejected)

    def _opened(self, envelope: bytes, length: int) -> bytes | None:
        if len(envelope) != length:
            return None
        try:
            return open_layer(self._key, envelope)
        except InputError:
            return None

    def _kept(self, collection_id: str, taken: Sequence[Taken], rejected: int) -> dict[str, int]:
        if self._batches.held() + len(taken) > self.most_held:
            raise Refused(503, "This node holds as many envelopes as it may; try again later.")
        return self._batches.keep(collection_id, taken, rejected)

    async def _final(self, request: Request) -> Response:
        signature = (await body_of(request, FINAL))["signature"]
        state = await run_in_threadpool(self.final, request.path_params["id"], signature)
        self._arrived.set()
        return JSONResponse({"state": state})

    def final(self, collection_id: str, signature: bytes) -> str:
        """The mix before has passed on all it had: empty this one too."""
        manifest = self._manifest(collection_id)
        key = bytes.fromhex(self._neighbour(manifest, -1).signing)
        if not signed(key, "final", manifest.collection.id, signature):
            raise Refused(403, "The mix before this one did not sign that it is empty.")
        self._batches.drain(collection_id)
        return self._batches.find(collection_id)[0]

    async def _status(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.counts, request.path_params["id"]))

    def counts(self, collection_id: str) -> dict[str, int]:
        self._batches.find(collection_id)
        return self._batches.counts(collection_id)

    def measures(self) -> dict[str, dict[str, int]]:
        return {name: self._batches.counts(name) for name in self._batches.not_ended()}

    async def _statistics(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.statistics, request.path_params["id"]))

    def statistics(self, collection_id: str) -> dict[str, Any]:
        """What this mix vouches for in the label of the crowd log."""
        state, _destroyed, _certificate, _manifest = self._batches.find(collection_id)
        if state != "ended":
            raise Refused(409, "This mix has not passed on everything yet.")
        values = {"owner": self.owner, "collection": collection_id, **self._batches.counts(collection_id)}
        return {
            "statistics": values,
            "signature": self.identity.signing.sign("statistics", canonical(values)).hex(),
        }

    async def work(self) -> None:
        """Forever: look after every collection that has not ended."""
        async with httpx.AsyncClient(timeout=60, verify=trusting(self.cafile)) as client:
            while True:
                with suppress(StorageFull, StorageDown):
                    for name in await run_in_threadpool(self._batches.not_ended):
                        with suppress(httpx.TransportError):
                            await self._look_after(client, name)
                await _wait(self._arrived, _POLL_SECONDS)

    async def _look_after(self, client: httpx.AsyncClient, name: str) -> None:
        """One step of a collection: fetch the certificate, form batches, send what may leave, end."""
        state, destroyed, _certificate, manifest = await run_in_threadpool(self._batches.find, name)
        if state == "waiting":
            await self._fetch_certificate(client, manifest)
            return
        first = self._place(manifest) == 1
        if state == "open" and first and self.clock() >= destroyed + manifest.upload_seconds:
            await run_in_threadpool(self._batches.drain, name)
            state = "draining"
        if state == "open":
            await run_in_threadpool(self._batches.form, name, self.pool)
        while (batch := await run_in_threadpool(self._batches.oldest, name)) is not None:
            if state == "open" and not self._may_leave(name, batch):
                return
            if not await self._send(client, manifest, batch):
                return
        if state == "draining":
            await self._finish(client, manifest)

    async def _fetch_certificate(self, client: httpx.AsyncClient, manifest: Manifest) -> None:
        found = await fetch_certificate(client, manifest)
        if found:
            await run_in_threadpool(self._batches.open, manifest.id, *found)

    def _may_leave(self, name: str, batch: int) -> bool:
        """A batch leaves after a random time; a restart begins that anew."""
        due = self._leaves.setdefault(
            (name, batch), time.monotonic() + fraction(self.randomness) * self.delay
        )
        return time.monotonic() >= due

    async def _send(self, client: httpx.AsyncClient, manifest: Manifest, batch: int) -> bool:
        """Send a batch in parts; forget each part that the next node has."""
        rows = await run_in_threadpool(self._batches.shuffled, manifest.id, batch)
        parts = list(request_chunks(rows, lambda row: len(row[1])))
        while parts:
            part = parts.pop()
            status = await self._post(client, manifest, [inner for _name, inner in part])
            if status in {400, 413} and len(part) > 1:  # something in it is refused: find out what
                half = len(part) // 2
                parts += [part[:half], part[half:]]
            elif status in {202, 400, 413}:
                outcome = "passed" if status == 202 else "refused"
                names = [name for name, _inner in part]
                await run_in_threadpool(self._batches.forget, manifest.id, names, outcome)
            else:
                return False
        return True

    async def _post(self, client: httpx.AsyncClient, manifest: Manifest, envelopes: list[bytes]) -> int:
        signature = self.identity.signing.sign("batch", batch_message(manifest, envelopes))
        body = {"envelopes": [to_base64(one) for one in envelopes], "signature": to_base64(signature)}
        url = f"{self._neighbour(manifest, 1).url}/collections/{manifest.id}/batch"
        return (await client.post(url, json=body)).status_code

    async def _finish(self, client: httpx.AsyncClient, manifest: Manifest) -> None:
        signature = self.identity.signing.sign("final", manifest.collection.id)
        url = f"{self._neighbour(manifest, 1).url}/collections/{manifest.id}/final"
        answer = await client.post(url, json={"signature": to_base64(signature)})
        if answer.status_code == 200:
            await run_in_threadpool(self._batches.end, manifest.id)

    def _manifest(self, collection_id: str) -> Manifest:
        if collection_id not in self._manifests:
            self._manifests[collection_id] = self._batches.find(collection_id)[3]
        return self._manifests[collection_id]

    def _refuse_late(self, collection_id: str) -> None:
        state, destroyed, _certificate, manifest = self._batches.find(collection_id)
        if state == "waiting":
            raise Refused(409, "The uploads of this collection are not open yet.")
        if state != "open" or self.clock() >= destroyed + manifest.upload_seconds:
            raise Refused(409, "The uploads of this collection have ended.")

    def _place(self, manifest: Manifest) -> int:
        mine = self.identity.signing.public.hex()
        return next(number for number, party in enumerate(manifest.parties) if party.signing == mine)

    def _neighbour(self, manifest: Manifest, step: int) -> Party:
        """The party before (−1) or behind (1) this mix on the way of an envelope."""
        place = self._place(manifest)
        if place == 1 and step < 0:
            raise Refused(403, "The first mix takes envelopes of members only.")
        return manifest.parties[place + step]

    def _length(self, manifest: Manifest) -> int:
        """The one length an envelope has when it arrives here."""
        layers = len(manifest.collection.mix_publics) - (self._place(manifest) - 1)
        return manifest.collection.report_size() + layers * LAYER_OVERHEAD

    def _digest(self, envelope: bytes) -> bytes:
        return hashlib.blake2b(envelope, key=self._hash_key, digest_size=16).digest()


def batch_message(manifest: Manifest, envelopes: Sequence[bytes]) -> bytes:
    """What a mix signs when it passes envelopes on."""
    return manifest.collection.id + hashlib.sha256(b"".join(envelopes)).digest()


def batch_signed(before: Party, manifest: Manifest, envelopes: Sequence[bytes], signature: bytes) -> bool:
    """Whether the party before signed exactly these envelopes."""
    return signed(bytes.fromhex(before.signing), "batch", batch_message(manifest, envelopes), signature)


async def fetch_certificate(client: httpx.AsyncClient, manifest: Manifest) -> tuple[int, str] | None:
    """Ask the randomness server whether its key is gone; return when, and its signature of that."""
    answer = await client.get(f"{manifest.randomness.url}/collections/{manifest.id}")
    if answer.status_code != 200:
        return None
    try:
        destroyed, certificate = int(answer.json()["destroyed"]), str(answer.json()["certificate"])
    except (ValueError, KeyError, TypeError):
        return None
    return (destroyed, certificate) if certified(manifest, destroyed, certificate) else None


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, but no longer than so many seconds."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    event.clear()
