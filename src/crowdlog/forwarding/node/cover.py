"""Cover: made-up searches of public words, so that a query that leaves a node need not mean its owner's
interest.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress

from crowdlog.errors import CrowdlogError
from crowdlog.forwarding.backend import public_titles
from crowdlog.forwarding.node.forwarder import Forwarder
from crowdlog.privacy.randomness import Randomness


async def cover_searches(forwarder: Forwarder, mean_seconds: float, randomness: Randomness) -> None:
    """Search for a random public title at random times, `mean_seconds` apart on average, until cancelled."""
    titles = public_titles()
    while True:
        draw = (1 + int.from_bytes(randomness.bytes(4), "big")) / 2**32
        await asyncio.sleep(-mean_seconds * math.log(draw))
        chosen = int.from_bytes(randomness.bytes(8), "big") * len(titles) >> 64
        with suppress(CrowdlogError):
            await forwarder.search(titles[chosen])
