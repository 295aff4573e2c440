"""What a node is told at its start, as a JSON file."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from crowdlog.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")  # as in a certificate
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")  # it stands in the page and in a header
_LONGEST = 86_400.0  # seconds


@dataclass(frozen=True)
class Neighbour:
    """Somebody this node exchanges queries with; `name` stands in her certificate."""

    name: str
    host: str
    port: int

    def __post_init__(self) -> None:
        _check_name("a neighbour's 'name'", self.name)
        _check_host("a neighbour's 'host'", self.host)
        _check_port("a neighbour's 'port'", self.port, least=1)


@dataclass(frozen=True)
class NodeSettings:
    """`engine` is the address of the search engine with {query} in it.

    `delay`: longest random wait before a query is passed on or submitted. `cover`: mean seconds between
    made-up searches; 0: none. Both are repairs, off unless asked for. `page_port`, `port`: 0 takes a free
    one.
    """

    name: str
    engine: str
    certificate: str
    key: str
    authority: str
    neighbours: list[Neighbour] = field(default_factory=list)
    host: str = "127.0.0.1"
    port: int = 0
    page_port: int = 0
    token: str = ""
    accept_seconds: float = 2.0
    answer_seconds: float = 20.0
    engine_seconds: float = 10.0
    delay: float = 0.0
    cover: float = 0.0

    def __post_init__(self) -> None:
        if "{query}" not in self.engine or not self.engine.startswith(("http://", "https://")):
            raise InputError("'engine' must be an http address with {query} in the place of the query.")
        _check_name("'name'", self.name)
        _check_host("'host'", self.host)
        _check_port("'port'", self.port)
        _check_port("'page_port'", self.page_port)
        if self.token and not (isinstance(self.token, str) and _TOKEN.fullmatch(self.token)):
            raise InputError(
                "'token' must be 16 to 200 letters, digits, - or _; leave it out to have one made."
            )
        names = [neighbour.name for neighbour in self.neighbours]
        if not names or len({*names, self.name}) != len(names) + 1:
            raise InputError(
                "'neighbours' must be at least one, each with a name of its own, not the node's."
            )
        for name in ("accept_seconds", "answer_seconds", "engine_seconds"):
            _check_seconds(name, getattr(self, name), above=True)
        _check_seconds("delay", self.delay)
        _check_seconds("cover", self.cover)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_settings(path: Path) -> NodeSettings:
    """Read the settings of a node; paths in them are relative to the file."""
    known = {item.name: item for item in fields(NodeSettings)}
    try:
        given = json.loads(path.read_text())
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise InputError(f"{path} has unknown settings: {', '.join(unknown)[:100]}.")
        given["neighbours"] = [Neighbour(**neighbour) for neighbour in given.get("neighbours", [])]
        for name in ("certificate", "key", "authority"):
            given[name] = str(path.parent / given[name])
        return NodeSettings(**given)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is not a file of a node's settings; see docs/forwarding.md.") from error


def _check_name(what: str, value: Any) -> None:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise InputError(f"{what} must be letters, digits, dots and hyphens, as in a certificate.")


def _check_host(what: str, value: Any) -> None:
    if not isinstance(value, str) or not (_NAME.fullmatch(value) or ":" in value) or ".." in value:
        raise InputError(f"{what} must be the name or the address of a machine.")


def _check_port(what: str, value: Any, *, least: int = 0) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= 65_535:
        raise InputError(f"{what} must be a whole number from {least} to 65535.")


def _check_seconds(name: str, value: Any, *, above: bool = False) -> None:
    """A time in seconds; above 0 where nothing can happen in no time."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not known or not 0 <= value <= _LONGEST or (above and value == 0):
        least = "above 0" if above else "at least 0"
        raise InputError(f"'{name}' must be seconds, {least} and at most {_LONGEST:,.0f}.")
