"""Why fewer users of a log keep a low exposure than users who all ask equally often.

Two parts: whoever asks more than her friends submits few queries of others beside her own, and Υ takes her
for selfish. Told apart by leaving out one thing at a time: the log's queries, its uneven activity, Υ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from crowdlog.forwarding.exposure import exposure_levels
from crowdlog.forwarding.measures import EXPOSED, loads, own_shares
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.simulate import Simulated
from crowdlog.forwarding.workload import Workload, topical
from crowdlog.reproduce.study import Cell, Panel
from crowdlog.types import Bools, Floats

EQUALLY_OFTEN = 100  # queries drawn from each user's own
ASKED = (1, 10, 50, 100)  # users by how many queries they asked: from each of these up to the next

# Runs a workload under rules on several graphs.
Runs = Callable[[Workload, Rules], list[Simulated]]


@dataclass(frozen=True)
class _Seen:
    """One entry per user of all runs: exposure, share submitted herself, load, number of queries."""

    level: Floats
    own: Floats
    load: Floats
    asked: Floats

    def below(self, some: Bools) -> float:
        """Share of these users with a profile whose exposure is below 60 %."""
        known = some & ~np.isnan(self.level)
        return float((self.level[known] < EXPOSED).mean()) if known.any() else float("nan")


def activity_panels(log: Workload, runs: Runs, seed: int) -> list[Panel]:
    """Return what each part costs, and who pays it."""
    with_, without = Rules(), Rules(zeta=0.0)
    seen = {
        name: (_seen(runs(work, with_)), _seen(runs(work, without)))
        for name, work in _works(log, seed).items()
    }
    rows: list[list[Cell]] = [
        [name, *(_share(one.below(one.asked > 0)) for one in pair)] for name, pair in seen.items()
    ]
    parts = Panel(
        "Users with PEL below 60 %: what the log's queries, uneven activity and Υ do",
        ["workload", "ζ = 0.03, %", "ζ = 0, %"],
        rows,
    )
    return [parts, _by_activity(*seen["the log"])]


def _works(log: Workload, seed: int) -> Mapping[str, Workload]:
    return {
        "the log": log,
        "made-up queries, as many as the log's users ask": _made_up(log, seed),
        f"the log's queries, {EQUALLY_OFTEN} drawn from each user's own": _equally_often(log, seed),
    }


def _made_up(log: Workload, seed: int) -> Workload:
    """Each user asks as many queries as in the log, of made-up topics."""
    whole = topical(log.users, log.rounds, seed=seed)
    place = np.arange(len(whole.query)) % log.rounds
    asked: Bools = place < np.repeat(log.counts, log.rounds)
    return Workload(log.start, whole.query[asked])


def _equally_often(log: Workload, seed: int) -> Workload:
    """Each user asks as often as every other; users without queries stay without."""
    counts = np.where(log.counts > 0, EQUALLY_OFTEN, 0)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    first = np.repeat(log.start[:-1], counts)
    drawn = np.random.default_rng([seed, 1]).integers(0, np.repeat(log.counts, counts))
    return Workload(start, log.query[first + drawn])


def _by_activity(with_: _Seen, without: _Seen) -> Panel:
    rows: list[list[Cell]] = []
    for least, end in zip(ASKED, (*ASKED[1:], np.inf), strict=True):
        some = (with_.asked >= least) & (with_.asked < end)
        name = f"{least} or more" if end == np.inf else f"{least} to {int(end) - 1}"
        others = [float((one.load / np.maximum(one.asked, 1))[some].mean()) for one in (with_, without)]
        own = [float(np.nanmean(one.own[some])) for one in (with_, without)]
        below = [one.below(some) for one in (with_, without)]
        shares = [_share(value) for pair in zip(below, own, strict=True) for value in pair]
        rows.append([name, _share(float(some.mean())), *shares, *(round(value, 2) for value in others)])
    columns = ["queries asked", "users %"]
    for zeta in ("0.03", "0"):
        columns += [f"PEL below 60 %, ζ = {zeta}, %", f"submitted herself, ζ = {zeta}, %"]
    columns += ["submissions per own query, ζ = 0.03", "submissions per own query, ζ = 0"]
    return Panel("Users of the log by how much they ask", columns, rows)


def _seen(done: list[Simulated]) -> _Seen:
    return _Seen(
        np.concatenate([exposure_levels(run) for run in done]),
        np.concatenate([own_shares(run) for run in done]),
        np.concatenate([loads(run) for run in done]).astype(np.float64),
        np.concatenate([run.workload.counts for run in done]).astype(np.float64),
    )


def _share(value: float) -> float | None:
    return None if np.isnan(value) else round(100 * value, 1)
