"""Who may use the dashboard: names with roles, passwords by Argon2, sessions of a few hours."""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from crowdlog.crowd.services.storage import Database
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

ROLES = ("owner", "approver", "engineer", "reader")
SESSION_SECONDS = 8 * 3600
_SHORTEST = 10  # characters of a password

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS people (name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS web_sessions (token TEXT PRIMARY KEY, name TEXT NOT NULL, "
    "csrf TEXT NOT NULL, expires BIGINT NOT NULL)",
)


@dataclass(frozen=True, repr=False)
class WebSession:
    """Somebody who is logged in. `csrf`: what each of her forms must bring along."""

    name: str
    role: str
    csrf: str


class Accounts:
    """People and their sessions. Tokens are kept as hashes: whoever reads the database cannot use them."""

    def __init__(self, database: Database, randomness: Randomness) -> None:
        self._database = database
        self._randomness = randomness
        self._hasher = PasswordHasher()
        # Verified for names that do not exist, so that their answers take as long.
        self._nobody = self._hasher.hash(randomness.bytes(16).hex())

    def add(self, name: str, role: str, password: str) -> None:
        """A new person, or a new role and password for one."""
        if role not in ROLES:
            raise InputError(f"There is no role '{role[:20]}'. There are: {', '.join(ROLES)}.")
        if not (name.isprintable() and 0 < len(name) <= 60 and name == name.strip()):
            raise InputError("A name has 1 to 60 characters and no blanks around it.")
        if len(password) < _SHORTEST:
            raise InputError(f"A password needs at least {_SHORTEST} characters.")
        hashed = self._hasher.hash(password)
        with self._database.transaction() as t:
            t.run("DELETE FROM people WHERE name = ?", (name,))
            t.run("DELETE FROM web_sessions WHERE name = ?", (name,))
            t.run("INSERT INTO people (name, role, password) VALUES (?, ?, ?)", (name, role, hashed))

    def remove(self, name: str) -> bool:
        """Whether there was somebody to remove; their sessions end at once."""
        with self._database.transaction() as t:
            t.run("DELETE FROM web_sessions WHERE name = ?", (name,))
            return bool(t.run("DELETE FROM people WHERE name = ?", (name,)) == 1)

    def people(self) -> list[tuple[str, str]]:
        with self._database.transaction() as t:
            return [(str(r[0]), str(r[1])) for r in t.rows("SELECT name, role FROM people ORDER BY name")]

    def log_in(self, name: str, password: str) -> str | None:
        """A new token, or None. An unknown name takes as long as a wrong password."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT password FROM people WHERE name = ?", (name,))
        try:
            self._hasher.verify(str(rows[0][0]) if rows else self._nobody, password)
        except (Argon2Error, InvalidHashError):
            return None
        if not rows:
            return None
        token = self._randomness.bytes(32).hex()
        values = (_hash(token), name, self._randomness.bytes(32).hex(), int(time.time()) + SESSION_SECONDS)
        with self._database.transaction() as t:
            t.run("DELETE FROM web_sessions WHERE expires < ?", (int(time.time()),))
            t.run("INSERT INTO web_sessions (token, name, csrf, expires) VALUES (?, ?, ?, ?)", values)
        return token

    def session(self, token: str) -> WebSession | None:
        """Whose token this is; None if nobody's, or of an ended session."""
        with self._database.transaction() as t:
            rows = t.rows(
                "SELECT s.name, p.role, s.csrf FROM web_sessions s JOIN people p ON p.name = s.name "
                "WHERE s.token = ? AND s.expires >= ?",
                (_hash(token), int(time.time())),
            )
        return WebSession(*map(str, rows[0])) if rows else None

    def log_out(self, token: str) -> None:
        with self._database.transaction() as t:
            t.run("DELETE FROM web_sessions WHERE token = ?", (_hash(token),))


def same(one: str, other: str) -> bool:
    """Compared in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
