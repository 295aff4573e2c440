"""Envelopes in portions that fit into a request: what clients and mixes send at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

MOST_ENVELOPES = 1000  # per request
REQUEST_BYTES = 2**20  # of envelopes sent at once: below every service's limit, also in base64

T = TypeVar("T")


def request_chunks(items: Sequence[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield parts of at most so many envelopes and bytes, in order."""
    part: list[T] = []
    size = 0
    for item in items:
        if len(part) == MOST_ENVELOPES or (part and size + size_of(item) > REQUEST_BYTES):
            yield part
            part, size = [], 0
        part.append(item)
        size += size_of(item)
    if part:
        yield part
