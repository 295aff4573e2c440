"""Approval by a second person: on the promise and the bill, never on the data."""

from __future__ import annotations

import time
from typing import Any

from starlette.responses import Response

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.mechanisms import parse
from crowdlog.planning.plan import plan_release
from crowdlog.release.meaning import meaning_for_one_person
from crowdlog.web.context import Context, go, page
from crowdlog.web.logs import bill_of, shown, shown_logs
from crowdlog.web.retry import may_be_tried, terms_of
from crowdlog.web.schedule import PERIODS, run_release
from crowdlog.web.workspace import ReleaseRequest, Workspace


async def all_requests(context: Context) -> Response:
    return page("web_requests.html", context, requests=context.workspace.requests())


async def one_request(context: Context) -> Response:
    """Also one whose log is gone or damaged: somebody must be able to refuse it."""
    request = context.workspace.request(context.part("request"))
    try:
        terms = _terms(context.workspace, request)
    except CrowdlogError as error:
        terms = {"no_terms": context.workspace.told(error), "retry": False}
    jobs = [job for job in context.workspace.jobs(request.log) if job.request == request.id]
    return page(
        "web_request.html",
        context,
        request=request,
        jobs=jobs,
        own=request.asked_by == context.who,
        published=request.out in context.workspace.releases(),
        **terms,
    )


def _terms(workspace: Workspace, request: ReleaseRequest) -> dict[str, Any]:
    """What the page says of the promise, the bill and the log."""
    mechanism = parse(request.mechanism)
    store = workspace.store(request.log)
    return {
        "no_terms": "",
        "plan": plan_release(mechanism, log=store, people=request.people),
        "bill": bill_of(store, mechanism),
        "promise": mechanism.promise(),
        "meaning": meaning_for_one_person(mechanism.promise().guarantee),
        "log": shown(request.log, store),
        "retry": may_be_tried(workspace, request) is not None,
    }


async def approve(context: Context) -> Response:
    """Four eyes: nobody approves what she asked for. One approval starts one release."""
    request = context.workspace.request(context.part("request"))
    if request.asked_by == context.who:
        raise InputError("You asked for it yourself; somebody else must approve it.")
    _terms(context.workspace, request)  # what no page can show is not approved
    period = PERIODS.get(request.rhythm, 0)
    next_run = int(time.time()) + period if period else 0
    answer = context.text("answer", 1000)
    terms = terms_of(context.workspace, request)
    if not context.workspace.decide(request, context.who, "approved", answer, next_run, terms):
        raise InputError("This request was decided already.")
    context.workspace.note(context.who, f"approved the release {request.out} of {request.log}")
    return go(f"/jobs/{run_release(context.workspace, request, context.who, request.out)}")


async def refuse(context: Context) -> Response:
    request = context.workspace.request(context.part("request"))
    answer = context.text("answer", 1000)
    if not answer:
        raise InputError("Say why: whoever asked will read it.")
    if not context.workspace.decide(request, context.who, "refused", answer):
        raise InputError("This request was decided already.")
    context.workspace.note(context.who, f"refused the release {request.out} of {request.log}")
    return go(f"/requests/{request.id}")


async def schedule(context: Context) -> Response:
    """What runs next, and what needs somebody: failed work, charges without a release, damaged logs."""
    requests = [r for r in context.workspace.requests() if r.state == "approved" and r.next_run]
    failed = [job for job in context.workspace.jobs() if job.state in ("failed", "interrupted")][:20]
    logs, damaged = shown_logs(context.workspace)
    unfinished = [log for log in logs if log.unfinished]
    return page(
        "web_schedule.html",
        context,
        requests=requests,
        failed=failed,
        unfinished=unfinished,
        damaged=damaged,
    )


async def stop(context: Context) -> Response:
    request = context.workspace.request(context.part("request"))
    context.workspace.set_next_run(request, 0)
    context.workspace.note(context.who, f"stopped the schedule of {request.out}")
    return go("/schedule")
