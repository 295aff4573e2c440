"""What a page of the dashboard is given, and how it is made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from crowdlog import __version__
from crowdlog.errors import InputError
from crowdlog.pages.render import render
from crowdlog.web.accounts import WebSession
from crowdlog.web.permissions import ALLOWED
from crowdlog.web.workspace import Workspace

COOKIE = "crowdlog"
# No script runs in the dashboard, but those of a comparison: each is named by its hash.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'none'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


@dataclass(frozen=True, repr=False)
class Context:
    """One request: by whom, with which form."""

    request: Request
    workspace: Workspace
    session: WebSession | None
    form: FormData
    secure: bool

    @property
    def who(self) -> str:
        return "" if self.session is None else self.session.name

    def part(self, name: str) -> str:
        """A part of the address."""
        return str(self.request.path_params[name])

    def text(self, name: str, longest: int = 500) -> str:
        """A field of the form."""
        value = self.form.get(name, "")
        text = value.strip() if isinstance(value, str) else ""
        if len(text) > longest or "\0" in text:
            raise InputError(f"The field '{name}' is too long.")
        return text

    def number(self, name: str, kind: type = float) -> Any:
        """A field that is a number."""
        try:
            value = kind(self.text(name, 40))
        except ValueError:
            raise InputError(f"The field '{name}' must be a number.") from None
        if not 0 < value < 1e15:
            raise InputError(f"The field '{name}' must be above 0.")
        return value

    def asked(self, name: str, default: str) -> str:
        """A field of the address."""
        return self.request.query_params.get(name, default)[:200]


def page(template: str, context: Context, *, status: int = 200, **values: Any) -> Response:
    """A page with its menu: only what the role allows is shown, and all is checked again when it is used."""
    session = context.session
    role = session.role if session else ""
    allowed = {name for name, roles in ALLOWED.items() if role in roles}
    text = render(
        template,
        version=__version__,
        session=session,
        csrf=session.csrf if session else "",
        allowed=allowed,
        moment=moment,
        **values,
    )
    return HTMLResponse(text, status)


def moment(seconds: int) -> str:
    """A time as people read it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC") if seconds else "–"


def go(place: str) -> Response:
    """To another page after an action, so that it is not repeated by a reload."""
    return RedirectResponse(place, status_code=303)
