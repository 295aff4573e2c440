"""Coming in: log in and out, who may, and what everybody did."""

from __future__ import annotations

from starlette.responses import Response

from crowdlog.errors import InputError
from crowdlog.web.accounts import ROLES, SESSION_SECONDS
from crowdlog.web.context import COOKIE, Context, go, page


async def login_form(context: Context) -> Response:
    return page("web_login.html", context, told="")


async def login(context: Context) -> Response:
    name = context.text("name", 100)
    token = context.workspace.accounts.log_in(name, context.text("password", 1000))
    if token is None:
        context.workspace.note("-", "a log-in failed")
        return page("web_login.html", context, status=403, told="The name or the password is wrong.")
    context.workspace.note(name, "logged in")
    response = go("/")
    response.set_cookie(
        COOKIE, token, max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=context.secure
    )
    return response


async def logout(context: Context) -> Response:
    context.workspace.accounts.log_out(context.request.cookies.get(COOKIE, ""))
    response = go("/login")
    response.delete_cookie(COOKIE)
    return response


async def people(context: Context) -> Response:
    return page("web_people.html", context, people=context.workspace.accounts.people(), roles=ROLES)


async def add_person(context: Context) -> Response:
    name, role = context.text("name", 60), context.text("role", 20)
    context.workspace.accounts.add(name, role, context.text("password", 1000))
    context.workspace.note(context.who, f"set the role of {name} to {role}")
    return go("/people")


async def remove_person(context: Context) -> Response:
    """Somebody who left. What they did stays in the audit trail."""
    name = context.text("name", 60)
    if name == context.who:
        raise InputError("You cannot remove yourself: somebody must be left who may.")
    if not context.workspace.accounts.remove(name):
        raise InputError("There is nobody of this name.")
    context.workspace.note(context.who, f"removed {name}")
    return go("/people")


async def audit(context: Context) -> Response:
    return page("web_audit.html", context, lines=context.workspace.audit())
