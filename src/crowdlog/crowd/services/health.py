"""What a service says of itself to those who keep it running: whether it works, and what it counts.

Counts are those of `status`, in the text form that Prometheus reads, and like it for the bearer of the token
only: who sends when must not be seen in how a public number grows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from crowdlog.crowd.services.background import Pulse
from crowdlog.crowd.services.failing_workers import any_fails

FAILING = (
    "What this service does in the background has failed and is tried again; its owner finds the kind of "
    "error in its log."
)
# Counts by collection.
Measures = Mapping[str, Mapping[str, int]]


class Measured(Protocol):
    folder: Path  # which all its workers share
    pulses: list[Pulse]  # of this worker's tasks in the background

    def measures(self) -> Measures:
        """What this service counts of each collection."""
        ...

    def ask_database(self) -> None:
        """One short question; raises where the database does not answer."""
        ...


Handler = Callable[[Request], Awaitable[Response]]


def health(service: Measured) -> Handler:
    """Answer 200 when the database answers, whose own error is a 503, and the tasks in the background do
    their rounds, those of every worker. Anybody may ask, so it must cost nothing: no counting.
    """

    async def handler(_request: Request) -> Response:
        await run_in_threadpool(service.ask_database)
        own = any(pulse.failing for pulse in service.pulses)
        if own or await run_in_threadpool(any_fails, service.folder):
            return JSONResponse({"error": FAILING}, status_code=503)
        return JSONResponse({"health": "ok"})

    return handler


def metrics(service: Measured) -> Handler:
    async def handler(_request: Request) -> Response:
        counted = exposition(await run_in_threadpool(service.measures))
        return PlainTextResponse(counted + tasks(service.pulses))

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


def tasks(pulses: Sequence[Pulse]) -> str:
    """How the tasks in the background do, in the same format."""
    failures, failing = "crowdlog_task_failures", "crowdlog_task_failing"
    lines = [f"# TYPE {failures} counter"]
    lines += [f'{failures}{{task="{pulse.task}"}} {pulse.failures}' for pulse in pulses]
    lines += [f"# TYPE {failing} gauge"]
    lines += [f'{failing}{{task="{pulse.task}"}} {int(pulse.failing)}' for pulse in pulses]
    return "\n".join([*lines, ""])
