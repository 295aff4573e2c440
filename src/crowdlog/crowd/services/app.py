"""What all services share: an application made of operations, errors as one JSON sentence, the operator's
bearer token.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from crowdlog.crowd.services.fields import Fields, read_object
from crowdlog.crowd.services.health import Measured, health, metrics
from crowdlog.crowd.services.limits import LimitRequests, Limits
from crowdlog.crowd.services.openapi import Handler, Operation, document
from crowdlog.crowd.services.storage import StorageDown, StorageFull
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.randomness import Randomness

LOGGER = logging.getLogger(__name__)


class Refused(Exception):  # noqa: N818 - a refusal, not an error
    """An answer of 4xx or 5xx with one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Service(Protocol):
    """What every service is: a table of operations, something to do in the background, and a database to
    close.
    """

    token: str
    limits: Limits
    randomness: Randomness

    def operations(self) -> list[Operation]: ...

    async def work(self) -> None:
        """Run until cancelled, beside the requests."""
        ...

    def close(self) -> None: ...


def build_app(title: str, service: Service, measured: Measured | None = None) -> Starlette:
    """Make the application that serves these operations and describes them at /openapi.json.

    `measured`: a service of a collection, which also says whether it works and what it counts.
    """
    operations = service.operations()
    described = document(title, operations)

    async def openapi(_request: Request) -> Response:
        return JSONResponse(described)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        work = asyncio.create_task(service.work())
        try:
            yield
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
            service.close()

    guarded = [
        Route(operation.path, _handler(operation, service.token), methods=[operation.method])
        for operation in operations
    ]
    own = [Route("/openapi.json", openapi, methods=["GET"])]
    if measured is not None:
        own.append(Route("/health", health(measured), methods=["GET"]))
        own.append(Route("/metrics", _guarded(metrics(measured), service.token), methods=["GET"]))
    return Starlette(
        routes=[*own, *guarded],
        middleware=[Middleware(LimitRequests, limits=service.limits, randomness=service.randomness)],
        exception_handlers={
            HTTPException: _http_error,
            Refused: _refused,
            InputError: _sentence(400),
            PrivacyRefusal: _sentence(400),
            StorageFull: _sentence(507),
            StorageDown: _sentence(503),
            Exception: _our_fault,
        },
        lifespan=lifespan,
    )


async def body_of(request: Request, fields: Fields) -> dict[str, Any]:
    """Return the fields of a request's JSON body."""
    return read_object(await request.body(), fields)


def _handler(operation: Operation, token: str) -> Handler:
    """Let only the operator through where the operation says so."""
    return _guarded(operation.handler, token) if operation.operator else operation.handler


def _guarded(handle: Handler, token: str) -> Handler:
    async def handler(request: Request) -> Response:
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), f"Bearer {token}".encode()):
            raise Refused(401, "This call is the operator's: send her token as 'Authorization: Bearer …'.")
        return await handle(request)

    return handler


def _sentence(status: int) -> Callable[[Request, Exception], Response]:
    return lambda _request, error: JSONResponse({"error": str(error)}, status_code=status)


def _refused(_request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, Refused) else 500
    return JSONResponse(
        {"error": str(error)},
        status_code=status,
        headers={"WWW-Authenticate": "Bearer"} if status == 401 else None,
    )


def _http_error(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    return JSONResponse(
        {"error": f"{HTTPStatus(status).phrase}; /openapi.json lists the calls."},
        status_code=status,
        headers=headers,
    )


def _our_fault(_request: Request, error: Exception) -> Response:
    """The message of an unknown error could quote what was sent: only its type is logged."""
    LOGGER.error("An error of ours: %s", type(error).__name__)
    return JSONResponse({"error": "An error of ours; what was acknowledged before is safe."}, status_code=500)
