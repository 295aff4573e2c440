"""The protocol of Erola et al. 2011 as pure functions of integers: Ψ, Ψ_f and Υ.

Nothing here draws a random number: whoever calls brings the ticket, an integer below a stated bound. The node
calls these functions as they are; the simulator compiles the very same source (`kernels.py`). Probabilities
are integers in units of 1/10,000, so that ζ = 0.03 is 300 and sums do not depend on their order.

Lists are kept as counts: `entries[j]` says how often neighbour j stands in the list, the last entry counts
oneself.
"""

from __future__ import annotations

from typing import Any

UNIT = 10_000  # a probability of 1
ZETA = 300  # ζ = 0.03, §4.3.5
THETA = (6_000, 8_000)  # share of the list that is cut, 60 % to 80 %, Table 4.1
MOST_COPIES = 15  # the list stands there 1 to 15 times, which gives Table 4.5: docs/forwarding.md


def fill_own(entries: Any, degrees: Any, copies: int, cut_from: int, cut_to: int) -> int:
    """Ψ: write how often each neighbour and oneself stand in the list of an own query; return its length.

    The whole list is `copies` times (neighbour j repeated degrees[j] times, oneself once); the places from
    `cut_from` up to, not including, `cut_to` are cut out.
    """
    own = len(degrees)
    for j in range(own + 1):
        entries[j] = 0
    place = 0
    length = 0
    for _copy in range(copies):
        for j in range(own + 1):
            times = 1
            if j < own:
                times = degrees[j]
            cut = max(0, min(place + times, cut_to) - max(place, cut_from))
            entries[j] += times - cut
            length += times - cut
            place += times
    return length


def fill_forwarded(entries: Any, neighbours: int) -> int:
    """Ψ_f: each neighbour and oneself once, so that each is first with probability 1/(k + 1)."""
    for j in range(neighbours + 1):
        entries[j] = 1
    return neighbours + 1


def whole_length(degrees: Any, copies: int) -> int:
    """Return the length of the list of an own query before anything is cut."""
    total = 1
    for j in range(len(degrees)):
        total += degrees[j]
    return copies * total


def cut_size(length: int, theta: int) -> int:
    """Return how many of `length` places the share θ cuts; one place always stays."""
    return min(length - 1, length * theta // UNIT)


def take(entries: Any, ticket: int) -> int:
    """Take one entry out of the list and return whose it was.

    With a ticket that is uniform below the length, calling this again and again reads a shuffled list from
    its beginning.
    """
    for j in range(len(entries)):
        if ticket < entries[j]:
            entries[j] -= 1
            return j
        ticket -= entries[j]
    return len(entries) - 1


def accepts(probability: int, ticket: int) -> bool:
    """Υ: does a user accept from this neighbour? The ticket is uniform below 10,000."""
    return ticket < probability


def clipped(probability: int) -> int:
    """A probability stays between 0 and 1."""
    return max(0, min(UNIT, probability))


def response_ms(hops: float, latency_ms: float = 530.0, engine_ms: float = 400.0) -> float:
    """Response time by the seed's formula, which counts the round trip of 530 ms twice (§4.6)."""
    return 2 * hops * latency_ms + engine_ms


def corrected_response_ms(hops: float, latency_ms: float = 530.0, engine_ms: float = 400.0) -> float:
    """Response time with each round trip counted once: there and back is one round trip per hop."""
    return hops * latency_ms + engine_ms
