"""A new release in words: four questions, advice, the promise and the bill. Nothing looks at the log."""

from __future__ import annotations

import time
from typing import Any

from starlette.responses import Response

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.planning.guide import AUDIENCES, PURPOSES, RHYTHMS, Needs, advise
from crowdlog.planning.plan import plan_release
from crowdlog.web.context import Context, go, page
from crowdlog.web.logs import bill_of, shown
from crowdlog.web.schedule import longest_name
from crowdlog.web.workspace import ReleaseRequest, named

_MOST_PEOPLE = 10**10


def _needs(context: Context) -> Needs | None:
    """The answers so far; None as long as nobody has said how many people there are.

    That number stands in the release, and its label says that it was not read from the log: so it is not.
    """
    rhythm, audience = context.asked("rhythm", "once"), context.asked("audience", "public")
    purpose = context.asked("purpose", "everything")
    if rhythm not in RHYTHMS or audience not in AUDIENCES or purpose not in PURPOSES:
        raise InputError("Choose one of the answers that are offered.")
    said = context.asked("people", _said_before(context)).strip()
    if not said:
        return None
    if not said.isdecimal() or not 0 < int(said) < _MOST_PEOPLE:
        raise InputError("The number of people must be a whole number.")
    return Needs(int(said), rhythm, audience, purpose)


def _said_before(context: Context) -> str:
    """The number of people that somebody said when a release of this log was last asked for."""
    name = context.part("log")
    return next((str(each.people) for each in context.workspace.requests() if each.log == name), "")


async def wizard(context: Context) -> Response:
    name = context.part("log")
    store = context.workspace.store(name)
    choices: dict[str, Any] = {
        "longest_name": longest_name,
        "rhythms": list(RHYTHMS),
        "audiences": list(AUDIENCES),
        "purposes": list(PURPOSES),
    }
    needs = _needs(context)
    if needs is None:
        return page("web_wizard.html", context, log=shown(name, store), needs=None, **choices)
    advice = advise(needs)
    spelling = context.asked("mechanism", advice.mechanism)
    mechanism = parse(spelling)
    plan = plan_release(mechanism, log=store, people=needs.people)
    from crowdlog.release.meaning import meaning_for_one_person

    return page(
        "web_wizard.html",
        context,
        log=shown(name, store),
        bill=bill_of(store, mechanism),
        needs=needs,
        advice=advice,
        plan=plan,
        meaning=meaning_for_one_person(mechanism.promise().guarantee),
        **choices,
    )


async def ask(context: Context) -> Response:
    """The request. Its name becomes the release's."""
    name = context.part("log")
    context.workspace.store(name)
    mechanism = repr(parse(context.text("mechanism")))
    out = named(context.text("out"))
    rhythm = context.text("rhythm", 20)
    if rhythm not in RHYTHMS:
        raise InputError("Choose how often.")
    if len(out) > longest_name(rhythm):
        raise InputError(
            f"The name of a release that runs {rhythm} has at most {longest_name(rhythm)} letters: each run "
            "puts its day behind it."
        )
    taken = {request.out for request in context.workspace.requests()} | set(context.workspace.releases())
    if out in taken:
        raise InputError("There is a release or a request of this name already. Choose another.")
    request = ReleaseRequest(
        context.workspace.new_id(),
        name,
        mechanism,
        context.number("people", int),
        context.text("why", 1000),
        context.who,
        int(time.time()),
        "waiting",
        *("", 0, "", out, rhythm, 0),
    )
    context.workspace.ask(request)
    context.workspace.note(context.who, f"asks for the release {out} of {name}")
    return go(f"/requests/{request.id}")
