"""The aggregation server: admits people once, takes reports from the last mix node, and publishes what k of
them have in common.

A report is acknowledged once it is on disk. A person's second report of the same artifact is recognised by
its pseudonym and not counted.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from crowdlog.artifacts.kinds import QUERY_ARTIFACTS
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.crowd.crypto.collection import MAX_K, MAX_PAYLOAD, MAX_SLOTS, MIN_K, MIN_PAYLOAD, Collection
from crowdlog.crowd.crypto.credential import IssuerKey, issue_credential
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.crypto.report import Report, check_report
from crowdlog.crowd.manifest import COUNTS, INNER_ARTIFACTS, Manifest
from crowdlog.crowd.publication import policies_of
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.collections import PHASES, STATUS_COUNTS, Checked, CollectionStore, checked
from crowdlog.crowd.services.fields import AnyObject, Bytes, Choice, Fields, Integer, ListOf, Text, to_base64
from crowdlog.crowd.services.keyfile import own_key, secret_for
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.mix import COUNTED, ENVELOPES
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.publishing import Publisher, issuer_key, issuer_path
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

_HEX_ID = "^[0-9a-f]{64}$"
_PUBLIC = Bytes(32, exact=True)
_COUNT = Integer(0, 2**62)
_CREATE: Fields = {
    "title": Text(),
    "k": Integer(MIN_K, MAX_K),
    "inner_k": Integer(0, MAX_K),
    "inner_slots": Integer(1, MAX_SLOTS),
    "payload_size": Integer(MIN_PAYLOAD, MAX_PAYLOAD),
    "artifact": Choice(tuple(QUERY_ARTIFACTS)),
    "representation": Choice(REPRESENTATIONS),
    "limit": Integer(1, 10**6),
    "count": Choice(COUNTS),
    "policy": Text(),
    "inner_artifact": Choice(INNER_ARTIFACTS),
    "inner_policy": Text(least=0),
    "voprf_public": _PUBLIC,
    "randomness": Text(),
    "mix_publics": ListOf(_PUBLIC, 8, 2),
    "mix": Text(),
}
_DESCRIBED = (
    "artifact",
    "representation",
    "limit",
    "count",
    "policy",
    "inner_artifact",
    "inner_policy",
    "randomness",
    "mix",
)
_CREATED: Fields = {"id": Text(), "manifest": AnyObject("The collection as its clients see it.")}
_SHOWN: Fields = {"phase": Choice(PHASES), "manifest": AnyObject("The collection as its clients see it.")}
_INVITE: Fields = {"count": Integer(1, 100_000)}
_INVITED: Fields = {"invitations": ListOf(Text(), 100_000)}
_JOIN: Fields = {"invitation": Text(), "request": Bytes(2048)}
_JOINED: Fields = {"credential": Bytes(4096)}
_PUBLISH: Fields = {"smallest_batch": _COUNT}
_PHASE: Fields = {"phase": Choice(PHASES)}
_STATUS: Fields = {
    "phase": Choice(PHASES),
    "k": _COUNT,
    "inner_k": _COUNT,
    **dict.fromkeys(STATUS_COUNTS, _COUNT),
}
_FILES: Fields = {"files": ListOf(Text(), 100)}
_KEY: Fields = {"public": _PUBLIC}


@dataclass
class AggregationServer:
    folder: Path
    randomness: Randomness
    token: str
    limits: Limits
    database_url: str | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._store = CollectionStore(self.database_url, self.folder / "aggregation.sqlite")
        self._key = own_key(self.folder / "envelope.key", self.randomness)
        self._publisher = Publisher(self._store, self.folder, self.randomness)
        self._issuers: dict[str, tuple[Collection, IssuerKey]] = {}

    def app(self) -> Starlette:
        return build_app("crowdlog aggregation server", self)

    async def work(self) -> None:
        await self._publisher.work()

    def close(self) -> None:
        self._store.close()

    def operations(self) -> list[Operation]:
        return [*self._for_everybody(), *self._for_the_operator()]

    def _for_everybody(self) -> list[Operation]:
        """Calls of members, of the last mix, and of readers of the crowd log."""
        one: dict[str, Any] = {"parameters": {"id": _HEX_ID}}
        file: dict[str, Any] = {
            "parameters": {"id": _HEX_ID, "file": "^[a-z_]+\\.(html|json|md|parquet|csv)$"}
        }
        at = "/collections/{id}"
        return [
            Operation("GET", "/key", "Tell the public key that reports are sealed to.", self._show_key, _KEY),
            Operation(
                "POST",
                "/envelopes",
                "Take reports from the last mix node.",
                self._take,
                COUNTED,
                ENVELOPES,
                202,
            ),
            Operation("GET", at, "Describe a collection.", self._show, _SHOWN, **one),
            Operation(
                "POST",
                f"{at}/credentials",
                "Issue a credential for an invitation.",
                self._join,
                _JOINED,
                _JOIN,
                201,
                (403, 410),
                **one,
            ),
            Operation(
                "GET",
                f"{at}/release",
                "List the files of the crowd log.",
                self._files,
                _FILES,
                refusals=(409,),
                **one,
            ),
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

    def _for_the_operator(self) -> list[Operation]:
        """Calls that need the operator's token."""
        one: dict[str, Any] = {"parameters": {"id": _HEX_ID}}
        at = "/collections/{id}"
        return [
            Operation(
                "POST",
                "/collections",
                "Create a collection.",
                self._create,
                _CREATED,
                _CREATE,
                201,
                operator=True,
            ),
            Operation(
                "POST",
                f"{at}/invitations",
                "Invite people.",
                self._invite,
                _INVITED,
                _INVITE,
                201,
                operator=True,
                **one,
            ),
            Operation(
                "POST",
                f"{at}/uploads",
                "Open the uploads.",
                self._open,
                _PHASE,
                refusals=(409,),
                operator=True,
                **one,
            ),
            Operation(
                "GET",
                f"{at}/status",
                "Count reports and groups; no content.",
                self._status,
                _STATUS,
                operator=True,
                **one,
            ),
            Operation(
                "POST",
                f"{at}/publish",
                "End the uploads and publish.",
                self._publish,
                _PHASE,
                _PUBLISH,
                202,
                (409,),
                operator=True,
                **one,
            ),
        ]

    async def _show_key(self, _request: Request) -> Response:
        return JSONResponse({"public": to_base64(self._key.public)})

    async def _create(self, request: Request) -> Response:
        manifest = await run_in_threadpool(self.create, await body_of(request, _CREATE))
        return JSONResponse({"id": manifest.id, "manifest": manifest.to_json()}, status_code=201)

    def create(self, body: dict[str, Any]) -> Manifest:
        """Make the collection's issuer key and its manifest; this server's key ends the chain of mixes."""
        issuer = IssuerKey.generate(self.randomness)
        collection = Collection(
            title=body["title"],
            k=body["k"],
            voprf_public=body["voprf_public"],
            issuer_public=issuer.public,
            mix_publics=(*body["mix_publics"], self._key.public),
            **{name: body[name] for name in ("inner_k", "inner_slots", "payload_size")},
        )
        manifest = Manifest(collection, **{name: body[name] for name in _DESCRIBED})
        policies_of(manifest)
        with secret_for(issuer_path(self.folder, manifest.id), issuer.to_bytes()):
            self._store.create(manifest)
        return manifest

    async def _show(self, request: Request) -> Response:
        phase, manifest = await run_in_threadpool(self._store.find, request.path_params["id"])
        return JSONResponse({"phase": phase, "manifest": manifest.to_json()})

    async def _invite(self, request: Request) -> Response:
        count = (await body_of(request, _INVITE))["count"]
        tokens = [self.randomness.bytes(16).hex() for _ in range(count)]
        await run_in_threadpool(self._store.invite, request.path_params["id"], tokens)
        return JSONResponse({"invitations": tokens}, status_code=201)

    async def _join(self, request: Request) -> Response:
        body = await body_of(request, _JOIN)
        credential = await run_in_threadpool(
            self.join, request.path_params["id"], body["invitation"], body["request"]
        )
        return JSONResponse({"credential": to_base64(credential)}, status_code=201)

    def join(self, collection_id: str, invitation: str, request: bytes) -> bytes:
        """Issue a credential; a request that makes no sense does not use up the invitation."""
        collection, issuer = self._issuer(collection_id)
        credential = issue_credential(issuer, collection.id, request, self.randomness)
        self._store.use_invitation(collection_id, invitation, request)
        return credential

    async def _take(self, request: Request) -> Response:
        envelopes = (await body_of(request, ENVELOPES))["envelopes"]
        return JSONResponse(await run_in_threadpool(self.take, envelopes), status_code=202)

    def take(self, envelopes: list[bytes]) -> dict[str, int]:
        """Open, check and store reports, each on disk before this returns."""
        good: dict[str, list[Checked]] = defaultdict(list)
        for envelope in envelopes:
            try:
                collection_id, report = self._checked(envelope)
            except (InputError, Refused):
                continue
            good[collection_id].append(report)
        total = sum(len(reports) for reports in good.values())
        if not total:
            raise Refused(
                400, "None of the reports can be read, or none belongs to a collection of this server."
            )
        accepted, late = 0, 0
        for collection_id, reports in good.items():
            new, wrong_time = self._store.keep(collection_id, reports)
            accepted, late = accepted + new, late + wrong_time
        return {
            "accepted": accepted,
            "duplicates": total - accepted - late,
            "rejected": len(envelopes) - total + late,
        }

    def _checked(self, envelope: bytes) -> tuple[str, Checked]:
        report = Report.parse(open_layer(self._key, envelope))
        collection_id = report.collection.hex()
        collection, issuer = self._issuer(collection_id)
        check_report(report, collection, issuer)
        return collection_id, checked(report)

    def _issuer(self, collection_id: str) -> tuple[Collection, IssuerKey]:
        """Return a collection with its issuer key, read from disk once."""
        if collection_id not in self._issuers:
            phase, manifest = self._store.find(collection_id)
            if phase == "published":
                raise Refused(410, "The collection has ended.")
            self._issuers[collection_id] = (manifest.collection, issuer_key(self.folder, collection_id))
        return self._issuers[collection_id]

    async def _open(self, request: Request) -> Response:
        await run_in_threadpool(self._store.advance, request.path_params["id"], "uploading")
        return JSONResponse({"phase": "uploading"})

    async def _status(self, request: Request) -> Response:
        name = request.path_params["id"]
        phase, manifest = await run_in_threadpool(self._store.find, name)
        bars = {"k": manifest.collection.k, "inner_k": manifest.collection.inner_k}
        return JSONResponse({"phase": phase, **bars, **await run_in_threadpool(self._store.counts, name)})

    async def _publish(self, request: Request) -> Response:
        name, body = request.path_params["id"], await body_of(request, _PUBLISH)
        await run_in_threadpool(self._store.advance, name, "publishing", body["smallest_batch"])
        self._publisher.wake()
        return JSONResponse({"phase": "publishing"}, status_code=202)

    async def _files(self, request: Request) -> Response:
        folder = await run_in_threadpool(self._published, request.path_params["id"])
        return JSONResponse({"files": sorted(path.name for path in folder.iterdir())})

    async def _file(self, request: Request) -> Response:
        folder = await run_in_threadpool(self._published, request.path_params["id"])
        path = folder / request.path_params["file"]
        if path not in folder.iterdir():
            raise Refused(404, "The crowd log has no such file; the list of files names those it has.")
        return FileResponse(path, media_type="application/octet-stream")

    def _published(self, collection_id: str) -> Path:
        phase, _manifest = self._store.find(collection_id)
        if phase != "published":
            raise Refused(409, f"The collection is in phase '{phase}': there is no crowd log yet.")
        return self._publisher.folder_of(collection_id)
