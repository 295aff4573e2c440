"""Releases again and again: an approved request with a rhythm is run when it is due."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from crowdlog.errors import CrowdlogError
from crowdlog.web.work import start
from crowdlog.web.workspace import LONGEST, ReleaseRequest, Workspace

_DAY = 86400
_DATE = "-%Y-%m-%d"
SCHEDULE = "schedule"  # who runs what is due
PERIODS = {"yearly": 365 * _DAY, "monthly": 30 * _DAY, "weekly": 7 * _DAY, "daily": _DAY}


def dated(out: str, moment: int) -> str:
    """The name of a run of the schedule."""
    return f"{out}{datetime.fromtimestamp(moment, UTC).strftime(_DATE)}"


def longest_name(rhythm: str) -> int:
    """How long a release's name may be, so that its runs can bear the day behind it."""
    return LONGEST - len(dated("", 0)) if rhythm in PERIODS else LONGEST


def run_release(
    workspace: Workspace, request: ReleaseRequest, who: str, out: str, begun: int | None = None
) -> str:
    """Start the release of an approved request. The command charges before anything is drawn."""
    store = workspace.store(request.log)
    target = workspace.folder / "releases" / out
    words = ["release", str(store.path), request.mechanism, "--users", str(request.people), "-o", str(target)]
    return start(workspace, "release", request.log, who, words, request=request.id, begun=begun)


def _run_or_tell(workspace: Workspace, request: ReleaseRequest, moment: int) -> str:
    """A run that cannot even begin, because its log is gone or damaged, is an alarm like one that fails."""
    try:
        return run_release(workspace, request, SCHEDULE, dated(request.out, moment), moment)
    except CrowdlogError as error:
        number = workspace.begin_job("release", request.log, SCHEDULE, request.id, moment)
        workspace.end_job(number, "failed", error)
        return number


def run_due(workspace: Workspace, now: int | None = None) -> list[str]:
    """Start what is due; returns the jobs. Each run is one charge: the schedule moves on before it starts."""
    moment = int(time.time()) if now is None else now
    started = []
    for request in workspace.requests():
        period = PERIODS.get(request.rhythm, 0)
        if request.state != "approved" or not period or not 0 < request.next_run <= moment:
            continue
        missed = (moment - request.next_run) // period  # of a server that was down: run once, not for each
        if workspace.set_next_run(request, request.next_run + (missed + 1) * period):
            workspace.note(SCHEDULE, f"runs the release {request.out} of {request.log}")
            # One moment for the name and the job: by it a run that failed is found again, also at midnight.
            started.append(_run_or_tell(workspace, request, moment))
    return started
