"""All users send all their queries: rounds of one query each over a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.forwarding.graphs import UserGraph
from crowdlog.forwarding.kernels import MOST_HOPS, run_round, settle
from crowdlog.forwarding.protocol import UNIT
from crowdlog.forwarding.random_stream import stream
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.workload import Workload
from crowdlog.progress import progress_bar
from crowdlog.types import Bools

_SELFISH = 1 << 45  # part of the random stream
_WORTH_THREADS = 20_000  # users: below, waiting for each other costs more than the work of a round
_MOST_THREADS = 16  # each holds four bytes per directed edge


@dataclass(frozen=True)
class Simulated:
    """What happened. Row r, column u: the query of user u in round r.

    A user's queries are spread evenly over the rounds, of which there are as many as the busiest user has
    queries. `submitter` is −1 for a search that failed and for users who asked nothing in that round. `paths`
    has the users on the way, the source first, where they were asked for.
    """

    graph: UserGraph
    workload: Workload
    rules: Rules
    seed: int
    submitter: NDArray[np.int32]
    hops: NDArray[np.uint8]
    selfish: Bools
    accept: NDArray[np.int16]
    paths: NDArray[np.int32]


def simulate(
    graph: UserGraph,
    workload: Workload,
    rules: Rules | None = None,
    *,
    seed: int = 1,
    threads: int | None = None,
    keep_paths: bool = False,
) -> Simulated:
    """Return the same result for the same seed, on any number of threads."""
    rules = rules or Rules()
    if graph.users != workload.users:
        raise InputError(
            f"The graph has {graph.users:,} users and the log {workload.users:,}; give as many to both."
        )
    count = _threads(threads, graph.users)
    rounds, users = workload.rounds, graph.users
    selfish = choose_selfish(users, rules.selfish, seed)
    accept = np.full(len(graph.target), UNIT, np.int16)
    change = np.zeros((count, len(graph.target)), np.int32)
    submitter = np.empty((rounds, users), np.int32)
    hops = np.empty((rounds, users), np.uint8)
    paths = np.full((rounds if keep_paths else 0, users, MOST_HOPS + 1), -1, np.int32)
    unused = np.empty((0, 1), np.int32)
    setting, widest, counts = rules.setting(seed), int(graph.degrees.max()), workload.counts
    edges = (graph.start, graph.target, graph.reverse, graph.degree)
    before = numba.get_num_threads()
    numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))
    try:
        with progress_bar("Queries travel", rounds * users, unit="queries") as advance:
            for r in range(rounds):
                way = paths[r] if keep_paths else unused
                run_round(
                    *edges,
                    accept,
                    change,
                    selfish,
                    counts,
                    r,
                    rounds,
                    setting,
                    widest,
                    submitter[r],
                    hops[r],
                    way,
                )
                settle(accept, change)
                advance(users)
    finally:
        numba.set_num_threads(before)
    return Simulated(graph, workload, rules, seed, submitter, hops, selfish, accept, paths)


def choose_selfish(users: int, share: float, seed: int) -> Bools:
    """Mark the given share of the users, rounded to a whole number, chosen by the seed."""
    generator = np.random.default_rng([int(stream(seed, 0, _SELFISH))])
    selfish = np.zeros(users, bool)
    selfish[generator.choice(users, round(share * users), replace=False)] = True
    return selfish


def _threads(asked: int | None, users: int) -> int:
    if asked is not None and not 1 <= asked <= _MOST_THREADS:
        raise InputError(f"'threads' must be 1 to {_MOST_THREADS}. Got {asked}.")
    most = min(_MOST_THREADS, numba.config.NUMBA_NUM_THREADS)
    return asked or (most if users >= _WORTH_THREADS else 1)
