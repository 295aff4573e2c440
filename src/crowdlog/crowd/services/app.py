"""What all services share: an application made of operations, errors as one JSON sentence, the operator's
bearer token.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from crowdlog.crowd.services.fields import AnyObject, Fields, ListOf, read_object
from crowdlog.crowd.services.health import Measured, health, metrics
from crowdlog.crowd.services.limits import LimitRequests, Limits
from crowdlog.crowd.services.openapi import Handler, Operation, document
from crowdlog.crowd.services.roles import OPERATOR, OWNER, Tokens
from crowdlog.crowd.services.storage import StorageDown, StorageFull
from crowdlog.crowd.services.trail import Trail
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.randomness import Randomness

LOGGER = logging.getLogger(__name__)
# Pages of a browser extension may call; a web page may not make its visitors' browsers do so and read the
# answers.
_EXTENSION_ORIGINS = "(chrome|moz)-extension://[0-9a-z-]{1,64}"
_PREFLIGHT_SECONDS = 3600  # a browser asks again after so long


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


def build_app(
    title: str, service: Service, measured: Measured | None = None, trail: Trail | None = None
) -> Starlette:
    """Make the application that serves these operations and describes them at /openapi.json.

    `measured`: a service of a collection, which also says whether it works and what it counts. `trail`: where
    calls of those with a token are written down, for the owner to read.
    """
    operations = service.operations()
    if trail is not None:
        operations.append(_reading(trail))
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

    # a forwarding node has one token, which its page holds
    tokens = Tokens(((OPERATOR, service.token),)) if measured is None else Tokens.parse(service.token)
    guarded = [
        Route(operation.path, _handler(operation, tokens, trail), methods=[operation.method])
        for operation in operations
    ]
    own = [Route("/openapi.json", openapi, methods=["GET"])]
    if measured is not None:
        own.append(Route("/health", health(measured), methods=["GET"]))
        own.append(Route("/metrics", _guarded(metrics(measured), tokens, OWNER), methods=["GET"]))
    limited = Middleware(LimitRequests, limits=service.limits, randomness=service.randomness)
    return Starlette(
        routes=[*own, *guarded],
        # outermost, so that a browser can read refusals of the limits, too
        middleware=[limited] if measured is None else [_for_extensions(), limited],
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


def _for_extensions() -> Middleware:
    return Middleware(
        CORSMiddleware,
        allow_origin_regex=_EXTENSION_ORIGINS,
        allow_methods=["GET", "POST"],
        allow_headers=["content-type"],
        max_age=_PREFLIGHT_SECONDS,
    )


async def body_of(request: Request, fields: Fields) -> dict[str, Any]:
    """Return the fields of a request's JSON body."""
    return read_object(await request.body(), fields)


def _reading(trail: Trail) -> Operation:
    async def handler(_request: Request) -> Response:
        return JSONResponse({"calls": await run_in_threadpool(trail.lines)})

    calls: Fields = {"calls": ListOf(AnyObject("time, role, call and the hash of the line before"), 10**6, 0)}
    return Operation("GET", "/trail", "What was done here.", handler, calls, operator=True, role=OWNER)


def _handler(operation: Operation, tokens: Tokens, trail: Trail | None) -> Handler:
    """Let only the bearer of the right token through where the operation says so."""
    handle = _where_described(operation)
    if not operation.operator:
        return handle
    noted = operation.method != "GET" or "preview" in operation.path
    return _guarded(handle, tokens, operation.role, trail if noted else None)


def _where_described(operation: Operation) -> Handler:
    """Answer only at addresses whose parts are what /openapi.json says: a database need not be asked about
    others, and may not even take them.
    """

    async def handler(request: Request) -> Response:
        for name, pattern in operation.parameters.items():
            if not re.fullmatch(pattern, request.path_params[name]):
                raise Refused(404, "There is nothing at this address; /openapi.json lists the calls.")
        return await operation.handler(request)

    return handler


def _guarded(handle: Handler, tokens: Tokens, role: str, trail: Trail | None = None) -> Handler:
    async def handler(request: Request) -> Response:
        bearer = tokens.bearer(request.headers.get("authorization", ""))
        if bearer is None:
            raise Refused(401, "This call is the operator's: send her token as 'Authorization: Bearer …'.")
        if not tokens.allows(bearer, role):
            raise Refused(403, f"This call is the {role}'s; the token is the {bearer}'s.")
        if trail is not None:
            await run_in_threadpool(trail.add, bearer, f"{request.method} {request.url.path}")
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
