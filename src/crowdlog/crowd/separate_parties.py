"""Which parties of a collection are one and the same, as far as its terms can show it.

One service in two roles sees what both see: a mix that is its own successor mixes nothing. Nobody can notice
one hand behind two keys and two addresses; what the terms do show is refused, or told where it may be right.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from urllib.parse import urlsplit

from crowdlog.errors import PrivacyRefusal

_PORTS = {"http": 80, "https": 443}


def refuse_one_in_two_roles(
    urls: Sequence[str], signing: Sequence[str], sealing: Sequence[bytes], issuers: Sequence[bytes]
) -> None:
    """Refuse terms in which two parties have one address or one key: to sign with, to seal envelopes to, to
    issue credentials under.
    """
    shared: dict[str, Sequence[Hashable]] = {
        "address": [_place(url) for url in urls],
        "key": [one.lower() for one in signing],
        "key for envelopes": sealing,
        "key for credentials": issuers,
    }
    for what, values in shared.items():
        if len(set(values)) < len(values):
            raise PrivacyRefusal(
                f"Two parties of the collection have the same {what}: they are one service, which would see "
                "what only both together may see; do not join it."
            )


def hosts_of_several(urls: Sequence[str]) -> list[str]:
    """The hosts at which more than one party is."""
    hosts = [_place(url)[0] for url in urls]
    return sorted({host for host in hosts if hosts.count(host) > 1})


def _place(url: str) -> tuple[str, int, str]:
    """Where an address leads, however it is written: host, port and path."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:  # no address at all: it leads nowhere else than its text says
        return url, 0, ""
    return (parts.hostname or "").rstrip("."), port, parts.path.rstrip("/")
