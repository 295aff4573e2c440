"""A mix node: takes envelopes, removes its layer, forgets where they came from, and passes them on in
shuffled batches.

The first mix lets an envelope in for one slot of a member's credential, so nobody else can fill a batch, and
nothing links two slots of one member. Every later node takes what the node before it has signed. An envelope
has the one length its collection prescribes; anything else is refused at the door. It is acknowledged once it
is on disk. How it leaves again: batch_sender.py.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.crypto.credential import shown
from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD, open_layer
from crowdlog.crowd.manifest import Manifest, Party, canonical
from crowdlog.crowd.request_chunks import MOST_ENVELOPES
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.batch_sender import BatchSender
from crowdlog.crowd.services.batches import COUNTS, STATES, BatchStore, Taken
from crowdlog.crowd.services.fields import AnyObject, Bytes, Choice, Fields, ListOf, Text, to_base64
from crowdlog.crowd.services.handover import (
    BATCH,
    COUNT,
    COUNTED,
    FINAL,
    HEARD,
    MOST_BYTES,
    RECEIPT,
    TAKEN,
    batch_message,
    batch_signed,
    final_signed,
    receipt,
)
from crowdlog.crowd.services.identity import CERTIFICATE, Identity
from crowdlog.crowd.services.keyfile import own_key
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.registration import ONE_COLLECTION, issuing, registration
from crowdlog.crowd.services.trail import Trail
from crowdlog.crowd.slots import SUBMISSION_OVERHEAD, Submission
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

SUBMISSIONS: Fields = {"submissions": ListOf(Bytes(SUBMISSION_OVERHEAD + MOST_BYTES), MOST_ENVELOPES)}
STATE: Fields = {"state": Text()}
_MADE: Fields = {"public": Bytes(32, exact=True), "issuer": Bytes(64, exact=True)}
_SHOWN: Fields = {
    "state": Choice(STATES),
    "signature": Text(),
    "ends": COUNT,
    "pool": COUNT,
    "delay": COUNT,
    **CERTIFICATE,
}
_STATUS: Fields = {"held": COUNT, **dict.fromkeys(COUNTS, COUNT)}
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

    def __post_init__(self) -> None:
        self.identity = Identity(self.folder, self.owner, self.randomness)
        self._key = own_key(self.folder / "mix.key", self.randomness)
        self._batches = BatchStore(self.database_url, self.folder, self.randomness)
        self.sender = BatchSender(
            self.identity,
            self._batches,
            self.randomness,
            self.pool,
            self.delay,
            self.cafile,
            lambda: self.clock(),
        )
        self.pulses = [self.sender.pulse]

    def app(self) -> Starlette:
        return build_app("crowdlog mix node", self, self, Trail(self.folder))

    @property
    def public(self) -> bytes:
        """The key that envelopes are sealed to."""
        return self._key.public

    def close(self) -> None:
        self._batches.close()

    async def work(self) -> None:
        await self.sender.pulse.keep(self.sender.work)

    def operations(self) -> list[Operation]:
        return [*registration(self), *self._member_operations(), *self._mix_operations(), *self._counting()]

    def _member_operations(self) -> list[Operation]:
        at = "/collections/{id}"
        ask = "Tell whether envelopes are taken."
        take = "First mix: take members' envelopes."
        late = (403, 409)
        return [
            Operation("GET", at, ask, self._show, _SHOWN, **ONE_COLLECTION),
            issuing(self, "First mix: issue a credential for envelopes."),
            Operation(
                "POST", f"{at}/envelopes", take, self._take, COUNTED, SUBMISSIONS, 202, late, **ONE_COLLECTION
            ),
        ]

    def _mix_operations(self) -> list[Operation]:
        at = "/collections/{id}"
        take = "Take envelopes of the mix before."
        final = "The mix before has passed on all it had."
        taken, heard = {**COUNTED, **RECEIPT}, {**STATE, **RECEIPT}
        late = (403, 409)
        return [
            Operation(
                "POST", f"{at}/batch", take, self._take_batch, taken, BATCH, 202, late, **ONE_COLLECTION
            ),
            Operation("POST", f"{at}/final", final, self._final, heard, FINAL, 200, late, **ONE_COLLECTION),
        ]

    def _counting(self) -> list[Operation]:
        status: dict[str, Any] = {"operator": True, **ONE_COLLECTION}
        signed: dict[str, Any] = {"refusals": (409,), **ONE_COLLECTION}
        at = "/collections/{id}"
        passed = "What was passed on, signed, once all is."
        return [
            Operation("POST", "/keys", "Make keys.", self._make, _MADE, status=201, operator=True),
            Operation("GET", f"{at}/status", "Count.", self._status, _STATUS, **status),
            Operation("GET", f"{at}/statistics", passed, self._statistics, _STATISTICS, **signed),
        ]

    async def _make(self, _request: Request) -> Response:
        issuer = await run_in_threadpool(self.identity.make_issuer)
        return JSONResponse({"public": to_base64(self.public), "issuer": to_base64(issuer)}, status_code=201)

    def register(self, manifest: Manifest) -> str:
        """Agree to carry the envelopes of a collection."""
        place = self.identity.holds(manifest, "mix")
        first = place == 1
        if first:
            self.identity.holds(manifest, "mix", "admission")
        if manifest.collection.mix_publics[place - 1] != self._key.public:
            raise Refused(400, "The collection does not use this mix's key in its place.")
        if first:
            self.identity.bind_issuer(manifest, "admission")
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

    def join(self, collection_id: str, request: bytes, ticket: bytes) -> bytes:
        """Issue the credential for envelopes to somebody with a ticket."""
        return self.identity.admit(self._manifest(collection_id), "admission", request, ticket)[1]

    async def _take(self, request: Request) -> Response:
        name = request.path_params["id"]
        with self._counting_bad(name):
            packed = (await body_of(request, SUBMISSIONS))["submissions"]
        counted = await run_in_threadpool(self.take, name, packed)
        self.sender.arrived.set()
        return JSONResponse(counted, status_code=202)

    def take(self, collection_id: str, packed: Sequence[bytes]) -> dict[str, int]:
        """Check slots, open the layers that are ours and keep what is inside, on disk."""
        manifest = self._manifest(collection_id)
        if self.identity.place(manifest) != 1:
            raise Refused(403, "Members' envelopes go to the first mix.")
        self._refuse_late(manifest)
        with self._counting_bad(collection_id):
            taken = [self._admitted(manifest, data) for data in packed]
        return self._kept(collection_id, taken, 0)

    def _admitted(self, manifest: Manifest, data: bytes) -> Taken:
        """Let one envelope in at the door, or refuse it."""
        size = SUBMISSION_OVERHEAD + self._length(manifest)
        if len(data) != size:
            raise Refused(400, f"A submission of this collection has {size} bytes, got {len(data)}.")
        key = self.identity.issuer(manifest.collection.admission_issuer)
        one = Submission.parse(data)
        named = [(manifest.collection.slot_context("admission", one.slot), one.name)]
        if not shown(key, one.proof, named, one.envelope):
            raise Refused(403, "An envelope comes without a credential of this collection; join first.")
        return one.name, _digest(one.envelope), open_layer(self._key, one.envelope)

    @contextmanager
    def _counting_bad(self, collection_id: str) -> Iterator[None]:
        """Count what is refused here, so that the operator sees that somebody sends junk."""
        try:
            yield
        except (Refused, InputError):
            self._batches.terms(collection_id)  # what is sent to no collection of ours is counted nowhere
            self._batches.turn_away(collection_id)
            raise

    async def _take_batch(self, request: Request) -> Response:
        name = request.path_params["id"]
        with self._counting_bad(name):
            body = await body_of(request, BATCH)
        counted = await run_in_threadpool(self.take_batch, name, body["envelopes"], body["signature"])
        self.sender.arrived.set()
        message = batch_message(self._manifest(name), body["envelopes"])
        return JSONResponse({**counted, **receipt(self.identity.signing, TAKEN, message)}, status_code=202)

    def take_batch(self, collection_id: str, envelopes: Sequence[bytes], signature: bytes) -> dict[str, int]:
        """Take what the mix before has signed; what does not open here is counted and left out."""
        manifest = self._manifest(collection_id)
        with self._counting_bad(collection_id):
            if not batch_signed(self._before(manifest), manifest, envelopes, signature):
                raise Refused(403, "The mix before this one did not sign these envelopes.")
        length, taken, rejected = self._length(manifest), [], 0
        for envelope in envelopes:
            inner = self._opened(envelope, length)
            if inner is None:
                rejected += 1
                continue
            digest = _digest(envelope)
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
        name, signature = request.path_params["id"], (await body_of(request, FINAL))["signature"]
        state = await run_in_threadpool(self.final, name, signature)
        self.sender.arrived.set()
        heard = receipt(self.identity.signing, HEARD, self._manifest(name).collection.id)
        return JSONResponse({"state": state, **heard})

    def final(self, collection_id: str, signature: bytes) -> str:
        """The mix before has passed on all it had: empty this one too, but never before the window of the
        terms has ended by this mix's own clock.
        """
        manifest = self._manifest(collection_id)
        if not final_signed(self._before(manifest), manifest, signature):
            raise Refused(403, "The mix before this one did not sign that it is empty.")
        state, destroyed = self._batches.state(collection_id)
        if state == "waiting":
            raise Refused(409, "The uploads of this collection are not open yet.")
        if self.clock() < destroyed + manifest.upload_seconds:
            raise Refused(409, "The uploads of this collection have not ended yet.")
        self._batches.drain(collection_id)
        return self._batches.find(collection_id)[0]

    async def _status(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.counts, request.path_params["id"]))

    def counts(self, collection_id: str) -> dict[str, int]:
        self._batches.find(collection_id)
        return self._batches.counts(collection_id)

    def measures(self) -> dict[str, dict[str, int]]:
        return {name: self._batches.counts(name) for name in self._batches.not_ended()}

    def ask_database(self) -> None:
        self._batches.not_ended()

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

    def _manifest(self, collection_id: str) -> Manifest:
        return self._batches.terms(collection_id)

    def _refuse_late(self, manifest: Manifest) -> None:
        state, destroyed = self._batches.state(manifest.id)
        if state == "waiting":
            raise Refused(409, "The uploads of this collection are not open yet.")
        if state != "open" or self.clock() >= destroyed + manifest.upload_seconds:
            raise Refused(409, "The uploads of this collection have ended.")

    def _before(self, manifest: Manifest) -> Party:
        """The mix that hands envelopes to this one."""
        place = self.identity.place(manifest)
        if place == 1:
            raise Refused(403, "The first mix takes envelopes of members only.")
        return manifest.parties[place - 1]

    def _length(self, manifest: Manifest) -> int:
        """The one length an envelope has when it arrives here."""
        layers = len(manifest.collection.mix_publics) - (self.identity.place(manifest) - 1)
        return manifest.collection.report_size() + layers * LAYER_OVERHEAD


def _digest(envelope: bytes) -> bytes:
    return hashlib.sha256(envelope).digest()
