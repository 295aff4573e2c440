"""Who may call what: tokens of the operator, the collector and the owner of a service.

The operator makes keys, registers collections, invites, closes and cancels them. The collector has the crowd
log made, looks at it and makes it public. The owner reads counts and the trail of what the others did.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from crowdlog.errors import InputError

OPERATOR, COLLECTOR, OWNER = "operator", "collector", "owner"
ROLES = (OPERATOR, COLLECTOR, OWNER)
_LEAST = 32  # characters of a token


@dataclass(frozen=True)
class Tokens:
    """The token of each role. A role without one is the operator's too."""

    by_role: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, text: str) -> Tokens:
        """Read a bare token, which is the operator's, or lines of `role: token`."""
        found: dict[str, str] = {}
        for line in filter(None, map(str.strip, text.splitlines())):
            role, colon, token = line.rpartition(":")
            role = role.strip() if colon else OPERATOR
            token = token.strip()
            if role not in ROLES or role in found or len(token) < _LEAST or not token.isascii():
                raise InputError(
                    "A token has at least 32 plain characters, for example from: openssl rand -hex 32; "
                    f"several stand in lines 'ROLE: TOKEN', where ROLE is one of {', '.join(ROLES)}."
                )
            found[role] = token
        if OPERATOR not in found or len(set(found.values())) < len(found):
            raise InputError("A file of tokens needs one of the operator, and another for each other role.")
        return cls(tuple(found.items()))

    def __repr__(self) -> str:
        return f"Tokens({', '.join(role for role, _token in self.by_role)})"

    def bearer(self, header: str) -> str | None:
        """The role of whoever sends this Authorization header; None for a stranger."""
        given = header.encode("utf-8", "replace")
        # every token is compared, so that the time tells nothing of which one was nearly right
        matches = [
            role for role, token in self.by_role if hmac.compare_digest(given, f"Bearer {token}".encode())
        ]
        return matches[0] if matches else None

    def allows(self, bearer: str, role: str) -> bool:
        """Whether this bearer may make calls of this role."""
        return bearer == role or (bearer == OPERATOR and role not in dict(self.by_role))
