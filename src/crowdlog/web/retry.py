"""An approved release that failed is tried again by the same approval: for the same terms, and for one
charge.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import takewhile

from starlette.responses import Response

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.release.place import find_place
from crowdlog.release.publish import open_ledger
from crowdlog.web.context import Context, go
from crowdlog.web.schedule import SCHEDULE, dated, run_release
from crowdlog.web.workspace import ReleaseRequest, WebJob, Workspace

_ENDED_BADLY = ("failed", "interrupted")
_REPEATED = "repeated"


def terms_of(workspace: Workspace, request: ReleaseRequest) -> str:
    """A hash of what was approved: the log as it is, and all that its label will promise."""
    mechanism = parse(request.mechanism)
    terms = [
        *(request.log, workspace.store(request.log).info.content_hash),
        *(repr(mechanism), repr(mechanism.promise()), request.people, request.out, request.rhythm),
    ]
    return hashlib.sha256(json.dumps(terms).encode()).hexdigest()


@dataclass(frozen=True)
class FailedRun:
    """A run that ended badly, and the name that its release would have had."""

    job: WebJob
    out: str


def may_be_tried(workspace: Workspace, request: ReleaseRequest) -> FailedRun | None:
    """The last run, if it failed before anything was charged: what is charged is resumed or lost."""
    runs = [job for job in workspace.jobs(request.log) if job.request == request.id and job.kind == "release"]
    last = next((job for job in runs if job.state != _REPEATED), None)
    if request.state != "approved" or last is None or last.state not in _ENDED_BADLY:
        return None
    before = takewhile(lambda job: job.state == _REPEATED, runs[runs.index(last) + 1 :])
    first = [last, *before][-1]  # of these tries of one run
    out = dated(request.out, first.begun) if first.who == SCHEDULE else request.out
    return None if is_charged(workspace, request.log, out) else FailedRun(last, out)


def is_charged(workspace: Workspace, log: str, out: str) -> bool:
    target = str(find_place(workspace.folder / "releases" / out).target)
    with open_ledger(workspace.store(log)) as ledger:
        return any(entry.out == target for entry in ledger.entries())


async def retry(context: Context) -> Response:
    """Two people may press at once: the failed run is taken by one of them."""
    workspace = context.workspace
    request = workspace.request(context.part("request"))
    failed = may_be_tried(workspace, request)
    if failed is None:
        raise InputError(
            "There is nothing to try again: the last run of this request did not fail, or it was charged; a "
            "charged release is finished with Resume on the log's page, at no further charge."
        )
    if workspace.approved_terms(request) != terms_of(workspace, request):
        raise InputError(
            "The log, the promise or crowdlog itself changed since this was approved. Ask for the release "
            "again, under another name."
        )
    if not workspace.take_job(failed.job.id):
        raise InputError("Somebody else is trying it again just now.")
    workspace.note(context.who, f"tries the release {failed.out} of {request.log} again")
    return go(f"/jobs/{run_release(workspace, request, context.who, failed.out)}")
