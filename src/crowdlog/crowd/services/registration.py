"""What every service of a collection answers alike: who runs it, that it agrees to terms, and, where it
issues credentials, one for somebody whom the aggregation server has admitted.
"""

from __future__ import annotations

from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.app import body_of
from crowdlog.crowd.services.fields import AnyObject, Fields, Text, to_base64
from crowdlog.crowd.services.identity import IDENTITY, JOIN, JOINED, Identity
from crowdlog.crowd.services.openapi import Operation

ONE_COLLECTION: dict[str, Any] = {"parameters": {"id": "^[0-9a-f]{64}$"}}
_TERMS: Fields = {"manifest": AnyObject("The terms of a collection.")}
_AGREED: Fields = {"id": Text(), "signature": Text()}


class AgreeingService(Protocol):
    """A service that terms name."""

    identity: Identity

    def register(self, manifest: Manifest) -> str:
        """Agree to terms, or refuse; return the signature."""
        ...


class IssuingService(Protocol):
    """A service that issues credentials to those who have a ticket of the aggregation server."""

    def join(self, collection_id: str, request: bytes, ticket: bytes) -> bytes: ...


def registration(service: AgreeingService) -> list[Operation]:
    """The calls by which an operator learns whose service this is and has it agree to terms."""

    async def identity(_request: Request) -> Response:
        return JSONResponse(service.identity.as_json())

    async def register(request: Request) -> Response:
        manifest = Manifest.from_json((await body_of(request, _TERMS))["manifest"])
        signature = await run_in_threadpool(service.register, manifest)
        return JSONResponse({"id": manifest.id, "signature": signature}, status_code=201)

    agree: dict[str, Any] = {"status": 201, "operator": True}
    return [
        Operation("GET", "/identity", "Tell who runs this service.", identity, IDENTITY),
        Operation("POST", "/collections", "Agree to terms.", register, _AGREED, _TERMS, **agree),
    ]


def issuing(service: IssuingService, summary: str) -> Operation:
    """The call by which a member with a ticket gets this service's credential."""

    async def join(request: Request) -> Response:
        body = await body_of(request, JOIN)
        name = request.path_params["id"]
        credential = await run_in_threadpool(service.join, name, body["request"], body["ticket"])
        return JSONResponse({"credential": to_base64(credential)}, status_code=201)

    path = "/collections/{id}/credentials"
    return Operation("POST", path, summary, join, JOINED, JOIN, 201, (403, 410), **ONE_COLLECTION)
