"""Profile exposure level of every user: I(X;Y) / H(X) between what she asked and what she submitted (§4.5).

The same quantity as `crowdlog.attacks.exposure` computes from sparse matrices, here for ten million users
from plain arrays. Who asked fewer than two different queries has H(X) = 0 and no level: NaN.
"""

from __future__ import annotations

import math

import numpy as np
from numba import get_num_threads, njit, prange

from crowdlog.forwarding.kernels import LOST, nth_query
from crowdlog.forwarding.simulate import Simulated
from crowdlog.forwarding.workload import Numbers
from crowdlog.types import Floats, Ints


def exposure_levels(done: Simulated) -> Floats:
    """Return the level of every user; NaN for who has no profile."""
    own = _sorted_within(done.workload.start, done.workload.query)
    load, shown = _shown(done.workload.start, done.workload.query, own, done.submitter, get_num_threads())
    levels: Floats = _levels(done.workload.start, own, shown, load)
    return levels


@njit(parallel=True, cache=True)
def _sorted_within(start: Ints, query: Numbers) -> Numbers:
    own = query.copy()
    for user in prange(len(start) - 1):
        own[start[user] : start[user + 1]].sort()
    return own


@njit(parallel=True, cache=True)
def _shown(
    start: Ints, query: Numbers, own: Numbers, submitter: Numbers, threads: int
) -> tuple[Ints, Numbers]:
    """Count, at the first place of each of a user's queries in `own`, how often she submitted it.

    Each thread looks after its own range of submitters, so no two write in one place.
    """
    rounds, users = submitter.shape
    load = np.zeros(users, np.int64)
    shown = np.zeros(len(own), np.int32)
    for thread in prange(threads):
        low, high = thread * users // threads, (thread + 1) * users // threads
        for r in range(rounds):
            for user in range(users):
                who = submitter[r, user]
                if who == LOST or who < low or who >= high:
                    continue
                load[who] += 1
                asked = query[start[user] + nth_query(r, start[user + 1] - start[user], rounds)]
                place = start[who] + np.searchsorted(own[start[who] : start[who + 1]], asked)
                if place < start[who + 1] and own[place] == asked:
                    shown[place] += 1
    return load, shown


@njit(parallel=True, cache=True)
def _levels(start: Ints, own: Numbers, shown: Numbers, load: Ints) -> Floats:
    levels = np.empty(len(start) - 1, np.float64)
    for user in prange(len(start) - 1):
        levels[user] = _level(
            own[start[user] : start[user + 1]], shown[start[user] : start[user + 1]], load[user]
        )
    return levels


@njit(cache=True)
def _level(own: Numbers, shown: Numbers, load: int) -> float:
    """I(X;Y) / H(X) by the cases of §4.5.1; `own` is sorted."""
    size = len(own)
    entropy = 0.0
    shared = 0.0
    place = 0
    while place < size:
        end = place
        while end < size and own[end] == own[place]:
            end += 1
        asked, seen = end - place, shown[place]
        share = asked / size
        entropy -= share * math.log2(share)
        if seen > 0:
            unsure = max(seen - asked, 0) / seen  # the part of these submissions that says nothing
            here = (1 - unsure) + unsure * share
            bits = here * math.log2(here / share)
            if unsure > 0:
                bits += unsure * (1 - share) * math.log2(unsure)
            shared += bits * seen / load
        place = end
    if entropy <= 1e-12:
        return math.nan
    return shared / entropy
