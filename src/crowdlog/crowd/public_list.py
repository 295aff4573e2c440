"""The public list of collections that a randomness server keeps: each entry's head is a hash of all ids up to
it, so that two volunteers who see the same head have seen the same list, and nothing can be taken out later.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from crowdlog.errors import PrivacyRefusal

EMPTY = bytes(32)  # the head of a list without entries
_HEX = re.compile("[0-9a-f]{64}")


def chained_head(head: bytes, collection_id: str) -> bytes:
    """The head of the list after one more collection: it stands for everything before, too."""
    return hashlib.sha256(b"crowdlog-v2-list" + head + bytes.fromhex(collection_id)).digest()


def checked_head(listed: dict[str, Any], collection_id: str, seen: Iterable[str]) -> str:
    """Return the head of a list that a server shows, if it holds this collection, its heads are those of its
    ids, and it goes on from every head that was seen before.
    """
    entries = listed.get("collections")
    ids = [_id_of(entry) for entry in entries] if isinstance(entries, list) else []
    heads = [EMPTY]
    for name in ids:
        heads.append(chained_head(heads[-1], name))
    shown = [entry["head"] for entry in entries] if ids and isinstance(entries, list) else []
    known = [head.hex() for head in heads]
    if shown != known[1:] or listed.get("head") != known[-1]:
        raise PrivacyRefusal("The public list contradicts itself; do not join, and tell the operator.")
    if collection_id not in ids:
        raise PrivacyRefusal(
            "The public list does not name this collection; do not join, and tell the operator."
        )
    if not set(seen) <= set(known):
        raise PrivacyRefusal(
            "The public list is not the one you saw before with more at its end; do not join, and tell the "
            "operator."
        )
    return known[-1]


def _id_of(entry: Any) -> str:
    name = entry.get("id") if isinstance(entry, dict) and "head" in entry else None
    if not isinstance(name, str) or not _HEX.fullmatch(name):
        raise PrivacyRefusal("The public list contradicts itself; do not join, and tell the operator.")
    return name
