"""What a service says of itself to those who keep it running: whether it works, and what it counts.

Counts are those of `status`, in the text form that Prometheus reads, and like it for the bearer of the token
only: who sends when must not be seen in how a public number grows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

# Counts by collection.
Measures = Mapping[str, Mapping[str, int]]


class Measured(Protocol):
    def measures(self) -> Measures:
        """What this service counts of each collection."""
        ...

    def ask_database(self) -> None:
        """One short question; raises where the database does not answer."""
        ...


Handler = Callable[[Request], Awaitable[Response]]


def health(service: Measured) -> Handler:
    """Answer 200 when the database answers; 503 comes from its own error. Anybody may ask, so it must cost
    nothing: no counting.
    """

    async def handler(_request: Request) -> Response:
        await run_in_threadpool(service.ask_database)
        return JSONResponse({"health": "ok"})

    return handler


def metrics(service: Measured) -> Handler:
    async def handler(_request: Request) -> Response:
        return PlainTextResponse(exposition(await run_in_threadpool(service.measures)))

    return handler


def exposition(measures: Measures) -> str:
    """Prometheus' text format, version 0.0.4: one gauge per count, one sample per collection."""
    names = sorted({name for counts in measures.values() for name in counts})
    lines = []
    for name in names:
        metric = f"crowdlog_{name}"
        lines.append(f"# TYPE {metric} gauge")
        lines += [
            f'{metric}{{collection="{collection}"}} {counts[name]}'
            for collection, counts in measures.items()
            if name in counts
        ]
    return "\n".join([*lines, ""])
