"""The walk of one query over the graph, and a round of all users, as compiled code.

Repeatable on any number of threads: a user's draws come from a stream of her own, decisions of a round read
the probabilities as they stood when it began, and what it changes is added up as integers, whose sum does not
depend on the order. The changes of thread t stand in `change[t]` until the round is over.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from crowdlog.forwarding import protocol
from crowdlog.forwarding.graphs import Edges
from crowdlog.forwarding.protocol import UNIT
from crowdlog.forwarding.random_stream import advanced, below, stream
from crowdlog.types import Bools, Bytes, Ints

# The protocol itself, compiled from the source that the node runs.
fill_own = njit(cache=True)(protocol.fill_own)
fill_forwarded = njit(cache=True)(protocol.fill_forwarded)
whole_length = njit(cache=True)(protocol.whole_length)
cut_size = njit(cache=True)(protocol.cut_size)
take = njit(cache=True)(protocol.take)
accepts = njit(cache=True)(protocol.accepts)
clipped = njit(cache=True)(protocol.clipped)

SEED, OWN_BACK, NEVER_TWICE = 0, 1, 2  # what becomes of a query that comes back: see `Rules.returns`
LOST = -1  # the submitter of a query that nobody answered
MOST_HOPS = 255  # a walk this long is submitted where it is; chance makes one in 10^10 so long
_WINDOW, _ONLINE, _WALK = 1 << 40, 1 << 41, 1 << 42  # parts of the random stream, beside the round

Walks = NDArray[np.int32]
Chances = NDArray[np.int16]
Changes = NDArray[np.int32]


class CompiledRules(NamedTuple):
    """The rules as numbers, for compiled code."""

    seed: int
    zeta: int
    theta_low: int
    theta_high: int
    most_copies: int
    per_query: bool
    shuffled: bool
    returns: int
    offline: int
    leave: int


@njit(cache=True)
def fill_cut_list(
    entries: Ints, degrees: Walks, user: int, round_: int, setting: CompiledRules, selfish: bool
) -> Any:
    """Write the cut list of an own query; return its length.

    The cut stays for the test unless it is per query.
    """
    part = _WINDOW + (round_ if setting.per_query else 0)
    state = stream(setting.seed, user, part)
    copies = 1 + below(state, setting.most_copies)
    whole = whole_length(degrees, copies)
    state = advanced(state)
    theta = setting.theta_low + below(state, setting.theta_high - setting.theta_low + 1)
    cut = cut_size(whole, theta)
    state = advanced(state)
    if setting.shuffled:
        length = fill_own(entries, degrees, copies, 0, 0)
        for _ in range(cut):
            state = advanced(state)
            take(entries, below(state, length))
            length -= 1
    else:
        cut_from = below(state, whole - cut + 1)
        length = fill_own(entries, degrees, copies, cut_from, cut_from + cut)
    if selfish:  # she never chooses herself: somebody else shall submit
        length -= entries[len(degrees)]
        entries[len(degrees)] = 0
    return length


@njit(cache=True, inline="always")
def _is_online(user: int, round_: int, setting: CompiledRules) -> Any:
    """Whether a user answers in this round at all."""
    if setting.offline == 0:
        return True
    return below(stream(setting.seed, user, _ONLINE + round_), UNIT) >= setting.offline


@njit(cache=True)
def walk_query(
    start: Ints,
    target: Edges,
    reverse: Edges,
    degree: Edges,
    accept: Chances,
    change: Changes,
    selfish: Bools,
    source: int,
    round_: int,
    setting: CompiledRules,
    entries: Ints,
    path: Walks,
) -> tuple[int, int]:
    """Send one query on its way; return who submitted it and after how many hops.

    `path` takes the users on the way, the source first. Returns LOST when somebody who had accepted left.
    """
    holder = source
    hops = 0
    path[0] = source
    state = stream(setting.seed, source, _WALK + round_)
    while hops < MOST_HOPS:
        first, last = start[holder], start[holder + 1]
        own = last - first
        list_ = entries[: own + 1]
        length = fill_forwarded(list_, own)
        if hops == 0:
            length = fill_cut_list(list_, degree[first:last], holder, round_, setting, selfish[holder])
        sent = False
        while length > 0 and not sent:
            state = advanced(state)
            chosen = take(list_, below(state, length))
            length -= 1
            if chosen == own:
                return holder, hops
            edge = first + chosen
            other = target[edge]
            if _stays_away(other, path, hops, setting.returns):
                continue
            state = advanced(state)
            willing = not selfish[other] and accepts(accept[edge], below(state, UNIT))
            if willing and _is_online(other, round_, setting):
                change[edge] -= setting.zeta
                change[reverse[edge]] += 2 * setting.zeta
                sent = True
            else:
                change[reverse[edge]] -= setting.zeta
        if not sent:
            return holder, hops
        hops += 1
        holder = other
        path[hops] = other
        if setting.leave > 0:
            state = advanced(state)
            if below(state, UNIT) < setting.leave:
                return LOST, hops
    return holder, hops


@njit(cache=True, inline="always")
def _stays_away(other: int, path: Walks, hops: int, returns: int) -> Any:
    """Whether `other` will not take this query because of where it has been."""
    if returns == SEED:
        return other == path[0]
    if returns == NEVER_TWICE:
        for i in range(hops + 1):
            if path[i] == other:
                return True
    return False


@njit(cache=True, inline="always")
def nth_query(round_: int, queries: int, rounds: int) -> int:
    """How many of a user's queries were asked before this round: all users ask over the same time, evenly."""
    return round_ * queries // rounds


@njit(parallel=True, cache=True)
def run_round(
    start: Ints,
    target: Edges,
    reverse: Edges,
    degree: Edges,
    accept: Chances,
    change: Changes,
    selfish: Bools,
    active: Edges,
    round_: int,
    rounds: int,
    setting: CompiledRules,
    widest: int,
    submitter: Walks,
    hops: Bytes,
    paths: Walks,
) -> None:
    """Let every user whose turn it is send one query; `submitter` and `hops` get one entry per user.

    `paths` gets the users on the way where it has a row for each user.
    """
    users = len(start) - 1
    threads = len(change)
    for thread in prange(threads):
        entries = np.zeros(widest + 1, np.int64)
        path = np.empty(MOST_HOPS + 1, np.int32)
        for user in range(thread * users // threads, (thread + 1) * users // threads):
            if nth_query(round_ + 1, active[user], rounds) == nth_query(round_, active[user], rounds):
                submitter[user] = LOST
                hops[user] = 0
                continue
            where, far = walk_query(
                start,
                target,
                reverse,
                degree,
                accept,
                change[thread],
                selfish,
                user,
                round_,
                setting,
                entries,
                path,
            )
            submitter[user] = where
            hops[user] = far
            if len(paths) > 0:
                paths[user, : far + 1] = path[: far + 1]


@njit(parallel=True, cache=True)
def settle(accept: Chances, change: Changes) -> None:
    """Add the changes of a round to the probabilities, which stay between 0 and 1."""
    for edge in prange(len(accept)):
        total = np.int64(accept[edge])
        for thread in range(len(change)):
            total += change[thread, edge]
            change[thread, edge] = 0
        accept[edge] = clipped(total)
