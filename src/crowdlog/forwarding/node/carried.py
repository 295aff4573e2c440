"""What a node remembers of queries: those under way, and the numbers of those it has met. In memory only."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.forwarding.node.sealing import Answer

MOST_CARRIED = 512  # under way at once
MOST_MET = 100_000  # numbers remembered


@dataclass
class Carried:
    """A query under way. `from_` is None for one's own; `to` is who has it now, None while it is here.

    The text is not kept longer than it takes to pass it on.
    """

    id: bytes
    from_: str | None
    to: str | None = None
    asked: str | None = None  # who was asked to take it and has not replied
    reply: asyncio.Future[bool] | None = None
    timer: asyncio.TimerHandle | None = None
    secret: MixKey | None = field(default=None, repr=False)
    result: asyncio.Future[Answer] | None = None


class Met:
    """The numbers of queries this node has carried, its own among them; the oldest are forgotten."""

    def __init__(self, most: int = MOST_MET) -> None:
        self._most = most
        self._numbers: OrderedDict[bytes, None] = OrderedDict()

    def add(self, number: bytes) -> None:
        self._numbers[number] = None
        if len(self._numbers) > self._most:
            self._numbers.popitem(last=False)

    def __contains__(self, number: bytes) -> bool:
        return number in self._numbers
