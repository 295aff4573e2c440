"""What a node is told at its start, as a JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from crowdlog.errors import InputError


@dataclass(frozen=True)
class Neighbour:
    """Somebody this node exchanges queries with; `name` stands in her certificate."""

    name: str
    host: str
    port: int


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
        names = [neighbour.name for neighbour in self.neighbours]
        if not names or len({*names, self.name}) != len(names) + 1:
            raise InputError(
                "'neighbours' must be at least one, each with a name of its own, not the node's."
            )
        for name in ("accept_seconds", "answer_seconds", "engine_seconds"):
            if getattr(self, name) <= 0:
                raise InputError(f"'{name}' must be above 0. Got {getattr(self, name):g}.")
        if self.delay < 0 or self.cover < 0:
            raise InputError("'delay' and 'cover' must not be negative.")

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
