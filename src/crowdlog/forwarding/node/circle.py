"""A circle of friends: one folder for each of them, with all that her node needs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from crowdlog.crowd.services.keyfile import write_secret
from crowdlog.errors import InputError
from crowdlog.files.whole import new_folder
from crowdlog.forwarding.node.certificates import Authority
from crowdlog.forwarding.node.settings import Neighbour, NodeSettings


@dataclass(frozen=True)
class Friend:
    """Where she is reached, and whom she knows."""

    name: str
    host: str
    port: int
    friends: tuple[str, ...]


def read_circle(path: Path) -> list[Friend]:
    """A line for each: name, host:port, names of friends. A friendship may stand at either end."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path} cannot be read. It must be a text file, a friend a line.") from None
    found = [_friend(path, number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    names = [friend.name for friend in found]
    if len(set(names)) != len(names):
        raise InputError(f"{path} names somebody twice. Give each friend one line.")
    strangers = {name for friend in found for name in friend.friends} - set(names)
    if strangers:
        raise InputError(f"{path} has {len(strangers)} friends without a line of their own. Add them.")
    return found


def write_circle(friends: list[Friend], engine: str, folder: Path, days: int) -> None:
    """Write FOLDER/NAME for each. The authority's secret is forgotten: nobody can be added later."""
    near: dict[str, set[str]] = {friend.name: set(friend.friends) for friend in friends}
    for friend in friends:
        for other in friend.friends:
            near[other].add(friend.name)
    address = {friend.name: friend for friend in friends}
    settings = [
        _settings(friend, engine, [address[name] for name in sorted(near[friend.name])]) for friend in friends
    ]
    authority = Authority("crowdlog circle", days)
    with new_folder(folder, secret=True) as whole:
        for friend, given in zip(friends, settings, strict=True):
            place = whole / friend.name
            place.mkdir(mode=0o700)
            authority.issue(friend.name, place)
            (place / "authority.crt").write_bytes(authority.certificate())
            write_secret(place / "node.json", json.dumps(given.to_json(), indent=2).encode())


def _friend(path: Path, number: int, words: list[str]) -> Friend:
    host, colon, port = words[1].rpartition(":") if len(words) > 1 else ("", "", "")
    if not colon or not port.isdecimal() or words[0] in words[2:]:
        raise InputError(f"Line {number} of {path} must be: name host:port friend friend …")
    Neighbour(words[0], host, int(port))  # says what is wrong with a name, a host or a port
    return Friend(words[0], host, int(port), tuple(dict.fromkeys(words[2:])))


def _settings(friend: Friend, engine: str, near: list[Friend]) -> NodeSettings:
    return NodeSettings(
        name=friend.name,
        engine=engine,
        certificate=f"{friend.name}.crt",
        key=f"{friend.name}.key",
        authority="authority.crt",
        neighbours=[Neighbour(other.name, other.host, other.port) for other in near],
        host="::" if ":" in friend.host else "0.0.0.0",  # noqa: S104 - friends come from elsewhere
        port=friend.port,
    )
