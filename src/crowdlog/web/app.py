"""The dashboard as a Starlette application: routes, who may use them, and what every answer carries."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from crowdlog.crowd.services.limits import Allowance
from crowdlog.errors import CrowdlogError
from crowdlog.web import decisions, entry, imports, logs, releases, retry, wizard
from crowdlog.web.accounts import WebSession, same
from crowdlog.web.context import COOKIE, POLICY, Context, page
from crowdlog.web.permissions import ALLOWED, OPEN
from crowdlog.web.schedule import run_due
from crowdlog.web.workspace import Workspace

_TICK_SECONDS = 20
MOST_OPEN = 10_000  # bytes of a form of somebody who has not logged in
# Requests of one address in a second, and saved up; passwords are tried far more slowly.
_PAGES, _PASSWORDS = (20.0, 100.0), (0.2, 10.0)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # With "no-referrer" browsers send our own forms with the origin "null", and they would be refused.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
Handler = Callable[[Context], Awaitable[Response]]

ROUTES: list[tuple[str, str, str, Handler]] = [
    ("login_form", "GET", "/login", entry.login_form),
    ("login", "POST", "/login", entry.login),
    ("logout", "POST", "/logout", entry.logout),
    ("logs", "GET", "/", logs.all_logs),
    ("import_form", "GET", "/import", imports.import_form),
    ("import", "POST", "/import", imports.import_log),
    ("log", "GET", "/logs/{log}", logs.one_log),
    ("budget", "POST", "/logs/{log}/budget", logs.set_budget),
    ("resume", "POST", "/logs/{log}/resume", logs.resume),
    ("compare", "POST", "/logs/{log}/compare", logs.compare),
    ("comparison", "GET", "/comparisons/{name}", logs.comparison),
    ("wizard", "GET", "/logs/{log}/new", wizard.wizard),
    ("request", "POST", "/logs/{log}/new", wizard.ask),
    ("requests", "GET", "/requests", decisions.all_requests),
    ("request_page", "GET", "/requests/{request}", decisions.one_request),
    ("approve", "POST", "/requests/{request}/approve", decisions.approve),
    ("refuse", "POST", "/requests/{request}/refuse", decisions.refuse),
    ("retry", "POST", "/requests/{request}/retry", retry.retry),
    ("schedule", "GET", "/schedule", decisions.schedule),
    ("stop_schedule", "POST", "/requests/{request}/stop", decisions.stop),
    ("release", "GET", "/releases/{name}", releases.release),
    ("file", "GET", "/releases/{name}/files/{file}", releases.file),
    ("publish_site", "POST", "/site", releases.publish_site),
    ("job", "GET", "/jobs/{job}", logs.job),
    ("discard", "POST", "/jobs/{job}/discard", imports.discard),
    ("people", "GET", "/people", entry.people),
    ("add_person", "POST", "/people", entry.add_person),
    ("remove_person", "POST", "/people/remove", entry.remove_person),
    ("audit", "GET", "/audit", entry.audit),
]


def make_app(
    workspace: Workspace,
    *,
    secure: bool = False,
    limits: bool = True,
    clock: Callable[[], float] = time.monotonic,
) -> Starlette:
    """The application. `secure`: it is served by https, so that cookies never travel without. `clock`: by
    which requests of one address are counted.
    """
    pages = Allowance(_PAGES[0] if limits else 0, _PAGES[1], workspace.randomness, clock)
    passwords = Allowance(_PASSWORDS[0] if limits else 0, _PASSWORDS[1], workspace.randomness, clock)

    def guarded(name: str, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            address = request.client.host if request.client else ""
            few = passwords if name == "login" else pages
            if not few.take(address):
                return _plain("Too many requests; wait a little.", 429)
            return await _answer(request, name, handler, workspace, secure=secure)

        return answer

    routes = [
        Route(path, guarded(name, handler), methods=[method], name=name)
        for name, method, path, handler in ROUTES
    ]

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        workspace.interrupt_jobs()
        imports.sweep_sent(workspace)
        ticking = asyncio.create_task(_tick(workspace))
        yield
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking

    handlers = {HTTPException: _http_error, Exception: _fault}
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)  # type: ignore[arg-type]


async def _tick(workspace: Workspace) -> None:
    while True:
        await asyncio.sleep(_TICK_SECONDS)
        try:
            run_due(workspace)
        except Exception as error:  # the next tick tries again; text of an error may quote a log
            logging.getLogger(__name__).warning("schedule: %s", type(error).__name__)


async def _answer(
    request: Request, name: str, handler: Handler, workspace: Workspace, *, secure: bool
) -> Response:
    session = workspace.accounts.session(request.cookies.get(COOKIE, ""))
    form = FormData()
    try:
        if request.method == "POST":
            _refuse_foreign(request)
        _refuse_role(name, session)  # before a body is read: it may be as large as the disk
        if request.method == "POST":
            if name in OPEN:
                _refuse_large(request)
            form = await request.form(max_files=4, max_fields=60)
            _refuse_unsigned(name, session, form)
        response = await handler(Context(request, workspace, session, form, secure))
    except CrowdlogError as error:
        context = Context(request, workspace, session, form, secure)
        response = page("web_error.html", context, status=400, told=workspace.told(error))
    except PermissionError:
        if session is None:
            response = RedirectResponse("/login", status_code=303)
        else:
            told = "Your role does not allow this."
            context = Context(request, workspace, session, form, secure)
            response = page("web_error.html", context, status=403, told=told)
    finally:
        await form.close()  # what was uploaded is not kept beside the copy that is imported
    for key, value in _HEADERS.items():
        response.headers.setdefault(key, value)
    return response


def _refuse_foreign(request: Request) -> None:
    """A form of another site: browsers say where a form comes from."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise PermissionError


def _refuse_role(name: str, session: WebSession | None) -> None:
    if name not in OPEN and (session is None or session.role not in ALLOWED[name]):
        raise PermissionError


def _refuse_large(request: Request) -> None:
    """Who has not logged in sends a name and a password, and no more than that is read."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > MOST_OPEN:
        raise HTTPException(413)


def _refuse_unsigned(name: str, session: WebSession | None, form: FormData) -> None:
    """For every action the secret that only our own forms know."""
    token = form.get("csrf")
    if name in OPEN or (session is not None and isinstance(token, str) and same(token, session.csrf)):
        return
    raise PermissionError


async def _http_error(_request: Request, error: HTTPException) -> Response:
    return _plain(error.detail, error.status_code)


async def _fault(_request: Request, error: Exception) -> Response:
    """Only the type is logged: the text of an error may quote a log."""
    logging.getLogger(__name__).error("fault: %s", type(error).__name__)
    return _plain("An error of ours. Nothing was lost; try again.", 500)


def _plain(text: str, status: int) -> Response:
    return HTMLResponse(f"<!doctype html><title>{status}</title><p>{text}", status, headers=_HEADERS)
