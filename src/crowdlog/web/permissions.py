"""Who may do what: one table, asked before every page and every action."""

from __future__ import annotations

from crowdlog.web.accounts import ROLES

_ALL = frozenset(ROLES)
_WORK = frozenset({"owner", "engineer"})
_DECIDE = frozenset({"owner", "approver"})
_OWNER = frozenset({"owner"})

# Name of the route: the roles that may use it. A route that is not here does not exist.
ALLOWED: dict[str, frozenset[str]] = {
    "logs": _ALL,
    "log": _ALL,
    "import_form": _WORK,
    "import": _WORK,
    "discard": _WORK,
    "budget": _OWNER,
    "wizard": _WORK,
    "request": _WORK,
    "requests": _ALL,
    "request_page": _ALL,
    "approve": _DECIDE,
    "refuse": _DECIDE,
    "resume": _WORK,
    "retry": _WORK,
    "release": _ALL,
    "file": _ALL,
    "compare": _OWNER,
    "comparison": _OWNER,
    "schedule": _ALL,
    "stop_schedule": _WORK,
    "job": _ALL,
    "publish_site": _OWNER,
    "people": _OWNER,
    "add_person": _OWNER,
    "remove_person": _OWNER,
    "audit": _DECIDE,
    "logout": _ALL,
}
# Before somebody is known.
OPEN = frozenset({"login_form", "login"})
