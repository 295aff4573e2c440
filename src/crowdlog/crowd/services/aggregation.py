"""The aggregation server: admits people once, takes reports from the last mix node, and publishes what k of
them have in common.

A report is acknowledged once it is on disk. A person's second report of the same artifact is recognised by
its pseudonym and not counted, and so is one beyond her limit, by the pseudonym of its slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from crowdlog.crowd.crypto.credential import issue_credential
from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD, open_layer
from crowdlog.crowd.crypto.group import SIZE
from crowdlog.crowd.crypto.report import Report, credible
from crowdlog.crowd.http import trusting
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.publication import policies_of
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.background import Pulse
from crowdlog.crowd.services.collections import CANCELLED, COUNTS, NOT_OPEN, PHASES, CollectionStore
from crowdlog.crowd.services.fields import AnyObject, Bytes, Choice, Fields, Integer, ListOf, Text, to_base64
from crowdlog.crowd.services.handover import (
    BATCH,
    COUNT,
    COUNTED,
    ENDED,
    FINAL,
    HEARD,
    RECEIPT,
    TAKEN,
    batch_message,
    batch_signed,
    fetch_certificate,
    final_signed,
    receipt,
    vouched,
)
from crowdlog.crowd.services.identity import SIGNATURE, Identity
from crowdlog.crowd.services.keyfile import own_key
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.publishing import Publisher
from crowdlog.crowd.services.registration import ONE_COLLECTION, registration
from crowdlog.crowd.services.roles import COLLECTOR
from crowdlog.crowd.services.storage import StorageDown, StorageFull
from crowdlog.crowd.services.trail import Trail
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

_OVER = ("ready", "published", CANCELLED)  # the keys are destroyed
MOST_INVITATIONS = 100_000  # of one request
_POLL_SECONDS = 1.0
# Refused: another worker has seen the certificate, and more happened since.
_NOT_YET = (httpx.HTTPError, StorageFull, StorageDown, Refused)
_ID = ONE_COLLECTION["parameters"]
_FILE_NAME = "^[a-z_]+\\.(html|json|md|parquet|csv)$"
_MADE: Fields = {"public": Bytes(32, exact=True), "issuer": Bytes(64, exact=True)}
_MANIFEST = AnyObject("The collection as its clients see it.")
_SHOWN: Fields = {"phase": Choice((*PHASES, CANCELLED)), "manifest": _MANIFEST, "signature": Text()}
_LISTED: Fields = {"collections": ListOf(AnyObject("id and phase"), 10**6, 0)}
_INVITE: Fields = {"count": Integer(1, MOST_INVITATIONS)}
_INVITED: Fields = {"invitations": ListOf(Text(), MOST_INVITATIONS)}
_JOIN: Fields = {"invitation": Text(), "request": Bytes(96, exact=True)}
_JOINED: Fields = {"credential": Bytes(4096), "ticket": SIGNATURE}
_PUBLISH: Fields = {"statistics": ListOf(AnyObject("What a mix counted, and its signature."), 16)}
_PHASE: Fields = {"phase": Choice((*PHASES, CANCELLED))}
_STATUS: Fields = {
    "phase": Choice((*PHASES, CANCELLED)),
    "k": COUNT,
    "inner_k": COUNT,
    **dict.fromkeys((*COUNTS, "stored"), COUNT),
}
_FILES: Fields = {"files": ListOf(Text(), 100)}


@dataclass
class AggregationServer:
    folder: Path
    randomness: Randomness
    token: str
    limits: Limits
    database_url: str | None = None
    owner: str = "unnamed"
    cafile: str | None = None  # certificates to trust for the randomness server

    def __post_init__(self) -> None:
        self.identity = Identity(self.folder, self.owner, self.randomness)
        self._store = CollectionStore(self.database_url, self.folder, self.randomness)
        self._key = own_key(self.folder / "envelope.key", self.randomness)
        self._publisher = Publisher(self._store, self.identity, self.folder, self.randomness)
        self.pulses = [self._publisher.pulse, Pulse("looking for certificates", self.folder)]
        self._manifests: dict[str, Manifest] = {}
        for name in self._store.in_phase(CANCELLED):  # a crash may have stopped the deletion
            self.cancel(name)

    def app(self) -> Starlette:
        return build_app("crowdlog aggregation server", self, self, Trail(self.folder))

    @property
    def public(self) -> bytes:
        """The key that envelopes are sealed to."""
        return self._key.public

    async def work(self) -> None:
        """Publish what is to be published, and look for certificates that randomness keys are gone."""
        publishing, watching = self.pulses
        await asyncio.gather(publishing.keep(self._publisher.work), watching.keep(self._watch_keys))

    async def _watch_keys(self) -> None:
        async with httpx.AsyncClient(timeout=60, verify=trusting(self.cafile)) as client:
            while True:
                self._store.drop_destroyed()
                self.identity.drop_destroyed()
                with self.pulses[1].heard(), suppress(StorageFull, StorageDown):
                    for name in await run_in_threadpool(self._store.in_phase, "mining"):
                        with self.pulses[1].heard(), suppress(*_NOT_YET):
                            if await fetch_certificate(client, await run_in_threadpool(self._manifest, name)):
                                await run_in_threadpool(self._store.advance, name, "uploading")
                self.pulses[1].beat()
                await asyncio.sleep(_POLL_SECONDS)

    def close(self) -> None:
        self._store.close()

    def operations(self) -> list[Operation]:
        return [
            *registration(self),
            *self._public_operations(),
            *self._mix_operations(),
            *self._operator_operations(),
        ]

    def _public_operations(self) -> list[Operation]:
        file: dict[str, Any] = {"parameters": {**_ID, "file": _FILE_NAME}}
        at = "/collections/{id}"
        join, files = "Issue a credential for an invitation.", "List the files of the crowd log."
        return [
            Operation("GET", at, "Describe a collection.", self._show, _SHOWN, **ONE_COLLECTION),
            Operation(
                "POST",
                f"{at}/credentials",
                join,
                self._join,
                _JOINED,
                _JOIN,
                201,
                (403, 410),
                **ONE_COLLECTION,
            ),
            Operation("GET", f"{at}/release", files, self._files, _FILES, refusals=(409,), **ONE_COLLECTION),
            Operation(
                "GET",
                f"{at}/release/{{file}}",
                "Read a file of the crowd log.",
                self._file,
                None,
                refusals=(409,),
                **file,
            ),
        ]

    def _mix_operations(self) -> list[Operation]:
        at = "/collections/{id}"
        take, final = "Take reports from the last mix.", "The last mix has passed on all it had."
        taken, heard, late = {**COUNTED, **RECEIPT}, {**_PHASE, **RECEIPT}, (403, 409, 410)
        return [
            Operation("POST", f"{at}/batch", take, self._take, taken, BATCH, 202, late, **ONE_COLLECTION),
            Operation("POST", f"{at}/final", final, self._final, heard, FINAL, 200, late, **ONE_COLLECTION),
        ]

    def _operator_operations(self) -> list[Operation]:
        one: dict[str, Any] = {**ONE_COLLECTION, "operator": True}
        at = "/collections/{id}"
        status, publish = (
            "Count reports and people; no content, no groups.",
            "Open the groups and write the crowd log.",
        )
        release, preview = "Make the crowd log public.", "Read a file of a crowd log before it is public."
        end = "End without a crowd log; delete every report."
        file: dict[str, Any] = {
            "parameters": {**_ID, "file": _FILE_NAME},
            "operator": True,
            "role": COLLECTOR,
        }
        collector: dict[str, Any] = {**one, "role": COLLECTOR, "refusals": (409, 410)}
        return [
            Operation("POST", "/keys", "Make keys.", self._make, _MADE, status=201, operator=True),
            Operation("GET", "/collections", "List collections.", self._list, _LISTED, operator=True),
            Operation(
                "POST", f"{at}/invitations", "Invite.", self._invite, _INVITED, _INVITE, 201, (409,), **one
            ),
            Operation("GET", f"{at}/status", status, self._status, _STATUS, **one),
            Operation("POST", f"{at}/cancel", end, self._cancel, _PHASE, refusals=(409,), **one),
            Operation("POST", f"{at}/publish", publish, self._publish, _PHASE, _PUBLISH, 202, **collector),
            Operation("GET", f"{at}/preview", "List its files.", self._preview_files, _FILES, **collector),
            Operation("GET", f"{at}/preview/{{file}}", preview, self._preview, None, refusals=(409,), **file),
            Operation("POST", f"{at}/release", release, self._release, _PHASE, **collector),
        ]

    async def _make(self, _request: Request) -> Response:
        issuer = await run_in_threadpool(self.identity.make_issuer)
        return JSONResponse({"public": to_base64(self.public), "issuer": to_base64(issuer)}, status_code=201)

    def register(self, manifest: Manifest) -> str:
        """Agree to the terms of a collection whose envelopes end here."""
        self.identity.holds(manifest, "aggregation", "report")
        if manifest.collection.mix_publics[-1] != self._key.public:
            raise Refused(400, "The collection does not use this server's key in its place.")
        policies_of(manifest)
        self.identity.bind_issuer(manifest, "report")
        self._store.create(manifest)
        return self.identity.agree(manifest)

    async def _list(self, _request: Request) -> Response:
        rows = await run_in_threadpool(self._store.all_ids)
        return JSONResponse({"collections": [{"id": name, "phase": phase} for name, phase in rows]})

    async def _show(self, request: Request) -> Response:
        phase, manifest = await run_in_threadpool(self._store.find, request.path_params["id"])
        signature = self.identity.agree(manifest)
        return JSONResponse({"phase": phase, "manifest": manifest.to_json(), "signature": signature})

    async def _invite(self, request: Request) -> Response:
        count = (await body_of(request, _INVITE))["count"]
        tokens = [self.randomness.bytes(16).hex() for _ in range(count)]
        await run_in_threadpool(self._store.invite, request.path_params["id"], tokens)
        return JSONResponse({"invitations": tokens}, status_code=201)

    async def _join(self, request: Request) -> Response:
        body = await body_of(request, _JOIN)
        name = request.path_params["id"]
        answer = await run_in_threadpool(self.join, name, body["invitation"], body["request"])
        credential, ticket = answer
        return JSONResponse(
            {"credential": to_base64(credential), "ticket": to_base64(ticket)}, status_code=201
        )

    def join(self, collection_id: str, invitation: str, request: bytes) -> tuple[bytes, bytes]:
        """Issue a credential, and the ticket that lets the other services issue theirs; a request that makes
        no sense does not use up the invitation, and who has none costs no cryptography.
        """
        collection = self._manifest(collection_id).collection
        self._store.refuse_stranger(collection_id, invitation)
        credential = issue_credential(
            self.identity.issuer(collection.report_issuer), collection.id, request, self.randomness
        )
        self._store.use_invitation(collection_id, invitation, request)
        return credential, self.identity.signing.sign("ticket", collection.id + request[:SIZE])

    async def _take(self, request: Request) -> Response:
        body = await body_of(request, BATCH)
        name = request.path_params["id"]
        return JSONResponse(
            await run_in_threadpool(self.judge, name, body["envelopes"], body["signature"]), status_code=202
        )

    def judge(self, collection_id: str, envelopes: Sequence[bytes], signature: bytes) -> dict[str, Any]:
        """Take what the last mix has signed, and sign that in turn: only then it forgets its envelopes. Of an
        ended collection nothing is taken; of one that lives nothing may be lost, so no receipt without it.
        """
        kind = TAKEN
        try:
            counted = self.take(collection_id, envelopes, signature)
        except Refused as refused:
            if refused.status != 410 or self._store.find(collection_id)[0] not in _OVER:
                raise
            kind, counted = ENDED, {"accepted": 0, "duplicates": 0, "rejected": len(envelopes)}
        message = batch_message(self._manifest(collection_id), envelopes)
        return {**counted, **receipt(self.identity.signing, kind, message)}

    def take(self, collection_id: str, envelopes: Sequence[bytes], signature: bytes) -> dict[str, int]:
        """Open, check and store reports that the last mix has signed, each on disk before this returns."""
        manifest = self._manifest(collection_id)
        if not batch_signed(manifest.mixes[-1], manifest, envelopes, signature):
            raise Refused(403, "The last mix did not sign these envelopes.")
        opened = [report for report in (self._opened(manifest, one) for one in envelopes) if report]
        key = self.identity.issuer(manifest.collection.report_issuer)
        good = credible(opened, manifest.collection, key, self.randomness)
        counted = self._store.keep(collection_id, good, len(envelopes) - len(good))
        return {
            "accepted": counted["received"],
            "duplicates": counted["duplicates"],
            "rejected": counted["rejected"] + counted["over_limit"],
        }

    def _opened(self, manifest: Manifest, envelope: bytes) -> Report | None:
        if len(envelope) != manifest.collection.report_size() + LAYER_OVERHEAD:
            return None
        try:
            return Report.parse(open_layer(self._key, envelope))
        except InputError:
            return None

    async def _final(self, request: Request) -> Response:
        name, signature = request.path_params["id"], (await body_of(request, FINAL))["signature"]
        phase = await run_in_threadpool(self.final, name, signature)
        heard = receipt(self.identity.signing, HEARD, self._manifest(name).collection.id)
        return JSONResponse({"phase": phase, **heard})

    def final(self, collection_id: str, signature: bytes) -> str:
        """The last mix has passed on all it had: the crowd log can be made."""
        phase, manifest = self._store.find(collection_id)
        if not final_signed(manifest.mixes[-1], manifest, signature):
            raise Refused(403, "The last mix did not sign that it is empty.")
        if phase == "mining":  # what the mix passes on would be refused: it must say so again later
            raise Refused(409, NOT_OPEN)
        if phase == "uploading":
            self._store.advance(collection_id, "complete")
        return self._store.find(collection_id)[0]

    async def _status(self, request: Request) -> Response:
        name = request.path_params["id"]
        phase, manifest = await run_in_threadpool(self._store.find, name)
        bars = {"k": manifest.collection.k, "inner_k": manifest.collection.inner_k}
        return JSONResponse({"phase": phase, **bars, **await run_in_threadpool(self._store.counts, name)})

    def measures(self) -> dict[str, dict[str, int]]:
        return {
            name: self._store.counts(name)
            for name, phase in self._store.all_ids()
            if phase not in ("published", CANCELLED)
        }

    def ask_database(self) -> None:
        self._store.in_phase("mining")

    async def _publish(self, request: Request) -> Response:
        name, body = request.path_params["id"], await body_of(request, _PUBLISH)
        await run_in_threadpool(self.begin_publishing, name, body["statistics"])
        self._publisher.wake()
        return JSONResponse({"phase": "publishing"}, status_code=202)

    def begin_publishing(self, collection_id: str, statistics: list[dict[str, Any]]) -> None:
        """Begin to open groups, with what each mix of the terms has signed of its batches."""
        manifest = self._manifest(collection_id)
        if len(statistics) != len(manifest.mixes):
            raise Refused(400, "Each mix of the collection must have signed its statistics.")
        for party, one in zip(manifest.mixes, statistics, strict=True):
            if not vouched(party, collection_id, one):
                raise Refused(
                    400, "The statistics of a mix are no counts of this collection that it has signed."
                )
        self._store.begin_publishing(collection_id, [one["statistics"] for one in statistics])

    async def _files(self, request: Request) -> Response:
        folder = await run_in_threadpool(self._published, request.path_params["id"], ("published",))
        return JSONResponse({"files": sorted(path.name for path in folder.iterdir())})

    async def _preview_files(self, request: Request) -> Response:
        folder = await run_in_threadpool(self._published, request.path_params["id"], ("ready", "published"))
        return JSONResponse({"files": sorted(path.name for path in folder.iterdir())})

    async def _file(self, request: Request) -> Response:
        return await self._read(request, ("published",))

    async def _preview(self, request: Request) -> Response:
        return await self._read(request, ("ready", "published"))

    async def _read(self, request: Request, phases: tuple[str, ...]) -> Response:
        folder = await run_in_threadpool(self._published, request.path_params["id"], phases)
        path = folder / request.path_params["file"]
        if path not in folder.iterdir():
            raise Refused(404, "The crowd log has no such file; the list of files names those it has.")
        return FileResponse(path, media_type="application/octet-stream")

    async def _cancel(self, request: Request) -> Response:
        await run_in_threadpool(self.cancel, request.path_params["id"])
        return JSONResponse({"phase": CANCELLED})

    def cancel(self, collection_id: str) -> None:
        """End a collection without a crowd log; asking again is fine."""
        manifest = self._manifest(collection_id)
        self._store.cancel(collection_id)
        self.identity.destroy_issuer(manifest.collection.report_issuer)

    async def _release(self, request: Request) -> Response:
        await run_in_threadpool(self._store.advance, request.path_params["id"], "published")
        return JSONResponse({"phase": "published"})

    def _published(self, collection_id: str, phases: tuple[str, ...]) -> Path:
        phase, _manifest = self._store.find(collection_id)
        if phase not in phases:
            raise Refused(409, f"The collection is in phase '{phase}': there is no crowd log yet.")
        return self._publisher.folder_of(collection_id)

    def _manifest(self, collection_id: str) -> Manifest:
        if collection_id not in self._manifests:
            self._manifests[collection_id] = self._store.find(collection_id)[1]
        return self._manifests[collection_id]
