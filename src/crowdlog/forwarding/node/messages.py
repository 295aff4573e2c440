"""What neighbours say to each other: JSON objects with exact fields, each in a frame of four bytes of length.

Frames are padded with blanks to a few sizes, so that who watches the wire does not read the length of a
query.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping
from typing import Any

from crowdlog.crowd.services.fields import Bytes, Field, Fields, Integer, Text, read_object
from crowdlog.errors import InputError

VERSION = 1
LENGTH_BYTES = 4
SIZES = (1024, 8 * 1024, 32 * 1024, 128 * 1024)  # a frame's body has one of these lengths
MOST_BYTES = SIZES[-1]
MOST_QUERY = 500  # characters
MOST_SEALED = 80 * 1024

_ID = Bytes(16, exact=True)
# The fields of each kind, beside the kind itself.
KINDS: Mapping[str, Fields] = {
    "hello": {"version": Integer(1, 1000), "neighbours": Integer(1, 1_000_000)},
    "query": {"id": _ID, "key": Bytes(32, exact=True), "query": Text(MOST_QUERY)},
    "accept": {"id": _ID},
    "refuse": {"id": _ID},
    "answer": {"id": _ID, "sealed": Bytes(MOST_SEALED)},
    "failed": {"id": _ID},
    "error": {"sentence": Text(300)},
}


class _Kind:
    """The name of a kind of message."""

    schema: dict[str, Any] = {"type": "string", "enum": list(KINDS)}  # noqa: RUF012 - never changed

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in KINDS:
            raise InputError(f"'{name}' must be one of {', '.join(KINDS)}.")
        return value


_KIND: Field = _Kind()


def written(kind: str, **fields: Any) -> bytes:
    """Return the frame of a message; bytes travel as base64."""
    plain = {
        name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in fields.items()
    }
    body = json.dumps({"kind": kind, **plain}).encode()
    size = next(size for size in SIZES if len(body) <= size)
    return size.to_bytes(LENGTH_BYTES, "big") + body.ljust(size)


def read(body: bytes) -> tuple[str, dict[str, Any]]:
    """Return kind and fields of a message, or raise an InputError that never quotes it."""
    kind = _kind_of(body)
    fields = read_object(body, {"kind": _KIND, **KINDS[kind]})
    fields.pop("kind")
    return kind, fields


def _kind_of(body: bytes) -> str:
    """Look at the kind alone: it says which other fields there must be."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError("A message must be JSON.") from error
    if not isinstance(value, dict):
        raise InputError("A message must be a JSON object.")
    kind = _KIND.read("kind", value.get("kind"))
    return str(kind)


async def next_body(reader: asyncio.StreamReader) -> bytes:
    """Return the body of the next frame; InputError when it is too long, EOFError at the end."""
    head = await reader.readexactly(LENGTH_BYTES)
    size = int.from_bytes(head, "big")
    if size > MOST_BYTES:
        raise InputError(f"A message has at most {MOST_BYTES} bytes.")
    return await reader.readexactly(size)
