"""What a simulation shows: positions, hops, response time, load, exposure, what selfishness costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from crowdlog.forwarding.exposure import exposure_levels
from crowdlog.forwarding.graphs import Edges
from crowdlog.forwarding.kernels import LOST
from crowdlog.forwarding.protocol import corrected_response_ms, response_ms
from crowdlog.forwarding.random_stream import below, stream
from crowdlog.forwarding.simulate import Simulated
from crowdlog.reproduce.study import Cell, Panel
from crowdlog.types import Floats, Ints

EXPOSED = 0.6  # from this level on a user counts as exposed, §4.7.2
_TIES = 1 << 46  # part of the random stream


def summary(done: Simulated) -> dict[str, Any]:
    """Return the figures of a simulation by name."""
    hops = mean_hops(done)
    levels = exposure_levels(done)
    known = levels[~np.isnan(levels)]
    load = loads(done)
    own = own_shares(done)
    answered = int((done.submitter != LOST).sum())
    return {
        "users": done.graph.users,
        "queries": int(done.workload.counts.sum()),
        "answered": answered,
        "failed": int(done.workload.counts.sum()) - answered,
        "mean neighbours": float(done.graph.degrees.mean()),
        "mean hops": hops,
        "response ms, as printed": response_ms(hops),
        "response ms, corrected": corrected_response_ms(hops),
        "exposure: users with a profile": len(known),
        "exposure: mean": float(known.mean()) if len(known) else None,
        "exposure: share below 60 %": float((known < EXPOSED).mean()) if len(known) else None,
        "submitted herself: mean share": None if np.isnan(own).all() else float(np.nanmean(own)),
        "load: mean": float(load.mean()),
        "load: median": float(np.median(load)),
        "load: most": int(load.max()),
        "load: share of users with none": float((load == 0).mean()),
        **_cost_of_selfishness(done, levels),
    }


def _cost_of_selfishness(done: Simulated, levels: Floats) -> dict[str, Any]:
    """What both groups pay; nothing where nobody is selfish."""
    if not done.selfish.any():
        return {}
    own = exposed_shares(done)
    known = ~np.isnan(levels)
    told: dict[str, Any] = {"selfish users": int(done.selfish.sum())}
    for place, (name, group) in enumerate({"honest": ~done.selfish, "selfish": done.selfish}.items()):
        seen = levels[group & known]
        told[f"{name}: share with PEL of 60 % or more"] = (
            float((seen >= EXPOSED).mean()) if len(seen) else None
        )
        told[f"{name}: share who submit 60 % or more themselves"] = own[place] if group.any() else None
    return told


def distributions(done: Simulated) -> list[Panel]:
    """How hops and load are spread, as tables."""
    shares = hop_shares(done)
    hops: list[list[Cell]] = [[str(number), round(float(share), 4)] for number, share in enumerate(shares)]
    hops[-1][0] = f"{len(shares) - 1} or more"
    load = loads(done)
    levels = (0.01, 0.1, 0.5, 0.9, 0.99, 1.0)
    quantiles: list[list[Cell]] = [[f"{level:.0%}", float(np.quantile(load, level))] for level in levels]
    return [
        Panel("Hops of a query", ["hops", "share of answered queries"], hops),
        Panel("Load: queries submitted by a user", ["share of users", "at most"], quantiles),
    ]


def mean_hops(done: Simulated) -> float:
    """Mean over the queries that were answered."""
    answered = done.submitter != LOST
    total = int(done.hops.sum(where=answered, dtype=np.int64))
    return total / max(1, int(answered.sum()))


def hop_shares(done: Simulated, most: int = 20) -> Floats:
    """Share of answered queries by number of hops; the last entry holds all longer walks."""
    counts = np.bincount(np.minimum(done.hops[done.submitter != LOST], most), minlength=most + 1)
    shares: Floats = counts / max(1, counts.sum())
    return shares


def loads(done: Simulated) -> Ints:
    """How many queries each user submitted."""
    total = np.zeros(done.graph.users, np.int64)
    for row in done.submitter:
        total += np.bincount(row[row != LOST], minlength=len(total))
    return total


def own_shares(done: Simulated) -> Floats:
    """Share of her answered queries that each user submitted herself; NaN for who had none."""
    users = np.arange(done.graph.users)
    own = np.zeros(len(users), np.int64)
    answered = np.zeros(len(users), np.int64)
    for row in done.submitter:
        own += row == users
        answered += row != LOST
    return np.where(answered > 0, own / np.maximum(answered, 1), np.nan)


def exposed_shares(done: Simulated) -> tuple[float, float]:
    """Share of honest and of selfish users who submit at least 60 % of their queries themselves.

    The measure of Table 4.4: its users ask one query only, so that PEL is 0/0. NaN for a group of nobody.
    """
    exposed = own_shares(done) >= EXPOSED
    groups = (exposed[~done.selfish], exposed[done.selfish])
    honest, selfish = (float(group.mean()) if len(group) else float("nan") for group in groups)
    return honest, selfish


def positions(done: Simulated) -> Ints:
    """Place of each user among herself and her neighbours, ordered by how many of her queries each submitted.

    From 0 (fewest) to the number of neighbours (most); places of equal numbers are drawn by lot.
    """
    place: Ints = _positions(done.graph.start, done.graph.target, done.submitter, done.seed)
    return place


def position_table(done: Simulated, most: int = 10) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the position for users with 1 … `most` neighbours."""
    place, degrees = positions(done), done.graph.degrees
    groups = [place[degrees == k] for k in range(1, most + 1)]
    means = [group.mean() if len(group) else np.nan for group in groups]
    spreads = [group.std() if len(group) else np.nan for group in groups]
    return np.array(means), np.array(spreads)


@njit(parallel=True, cache=True)
def _positions(start: Ints, target: Edges, submitter: Edges, seed: int) -> Ints:
    users = len(start) - 1
    place = np.empty(users, np.int64)
    for user in prange(users):
        first, last = start[user], start[user + 1]
        counts = np.zeros(last - first, np.int64)
        own = 0
        for r in range(len(submitter)):
            who = submitter[r, user]
            if who == user:
                own += 1
                continue
            for edge in range(first, last):
                if target[edge] == who:
                    counts[edge - first] += 1
        fewer = 0
        equal = 0
        for count in counts:
            fewer += count < own
            equal += count == own
        place[user] = fewer + below(stream(seed, user, _TIES), equal + 1)
    return place
