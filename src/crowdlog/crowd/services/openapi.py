"""One table of operations per service, from which both its routes and its OpenAPI document are made: they
cannot differ.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from crowdlog import __version__
from crowdlog.crowd.services.fields import Fields, object_schema
from crowdlog.crowd.services.roles import OPERATOR

Handler = Callable[[Request], Awaitable[Response]]
# Every operation may answer these: bad input, too many, too large, too slow, full, overloaded.
COMMON_REFUSALS = (400, 404, 405, 408, 413, 429, 503, 507)


@dataclass(frozen=True)
class Operation:
    """One call: `body` None means that it takes none; `answer` None means that it answers a file."""

    method: str
    path: str
    summary: str
    handler: Handler
    answer: Fields | None
    body: Fields | None = None
    status: int = 200
    refusals: tuple[int, ...] = ()
    operator: bool = False
    role: str = OPERATOR  # of the callers of an operator's call
    parameters: dict[str, str] = field(default_factory=dict)  # name in the path: pattern

    def names(self) -> list[str]:
        return re.findall(r"{(\w+)", self.path)


def document(title: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of a service."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"operator": {"type": "http", "scheme": "bearer"}}},
    }


def _described(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": operation.summary,
        "parameters": [
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": {"type": "string", "pattern": operation.parameters[name]},
            }
            for name in operation.names()
        ],
        "responses": {str(operation.status): _answer(operation)},
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": object_schema(operation.body)}},
        }
    if operation.operator:
        described["security"] = [{"operator": []}]
    for status in sorted(
        {*COMMON_REFUSALS, *operation.refusals, *((401, 403) if operation.operator else ())}
    ):
        described["responses"][str(status)] = _refusal(status)
    return described


def _answer(operation: Operation) -> dict[str, Any]:
    if operation.answer is None:
        return {
            "description": "A file.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    return {
        "description": operation.summary,
        "content": {"application/json": {"schema": object_schema(operation.answer)}},
    }


def _refusal(status: int) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
        "additionalProperties": False,
    }
    return {
        "description": f"{HTTPStatus(status).phrase}: one sentence.",
        "content": {"application/json": {"schema": schema}},
    }
