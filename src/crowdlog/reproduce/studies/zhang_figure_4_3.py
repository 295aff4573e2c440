"""Figure 4.3: query suggestion against the number of sessions that can be evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.zhang_held_out import PAPER, score_of
from crowdlog.reproduce.studies.zhang_sessions import SETUP, tried_on
from crowdlog.reproduce.study import Claim, Panel, Result, Study

KS = {"KA": (2, 5, 10, 20, 50, 100), "DP_S": (6, 10, 20, 30, 50)}
METRICS = {"P@5": "Precision@5", "R@5": "Recall@5"}
DRAWN = (
    "The figure's values are only drawn in the paper; its text says that DP is better up to about 5,500 "
    "evaluated sessions, and KA beyond."
)
Curves = Mapping[str, Mapping[int, Mapping[str, Any]]]  # for each log and K: sessions, P@5, R@5


def run(bench: Bench) -> Result:
    ours: dict[str, dict[int, dict[str, Any]]] = {name: {} for name in KS}
    for name, k in bench.each([(name, k) for name, ks in KS.items() for k in ks]):
        found = tried_on(bench, "suggestion", name, k)
        scores = {metric: score_of(found, f"suggestion:{metric}") for metric in METRICS}
        ours[name][k] = {**scores, "sessions": scores["P@5"]["answered"]}
    return Result(
        [_by_threshold(ours), *(_by_sessions(ours, metric) for metric in METRICS)], claims(ours), SETUP
    )


def claims(ours: Curves) -> list[Claim]:
    shared = [k for k in ours["DP_S"] if k in ours["KA"]]
    pairs = {k: (ours["KA"][k]["sessions"], ours["DP_S"][k]["sessions"]) for k in shared}
    compared = {metric: against(ours, metric) for metric in METRICS}
    found = "; ".join(
        f"{METRICS[m]}: {', '.join(f'{dp:.3f} against {ka:.3f} at {n:,}' for n, dp, ka in rows)}"
        for m, rows in compared.items()
    )
    found = (
        f"{found}. {_uncertainty(ours)}" if all(compared.values()) else "too few releases answer any session"
    )
    return [
        Claim(
            "For the same number of evaluated sessions DP needs a smaller K than KA.",
            all(ka > dp for ka, dp in pairs.values()) and any(dp for _ka, dp in pairs.values()),
            f"sessions with KA and DP: {pairs}",
        ),
        Claim(
            "Where few sessions are evaluated, DP has the better precision and recall.",
            all(bool(rows) and rows[0][1] > rows[0][2] for rows in compared.values()),
            f"DP against KA at the same number of sessions: {found}",
        ),
        Claim(
            "Where many sessions are evaluated, KA has the better precision and recall.",
            all(bool(rows) and rows[-1][1] < rows[-1][2] for rows in compared.values()),
            f"DP against KA at the same number of sessions: {found}",
        ),
    ]


def against(ours: Curves, metric: str) -> list[tuple[int, float, float]]:
    """Sessions, DP's score there and KA's, read off its curve; where both are, fewest sessions first."""
    ka, dp = (_points(list(ours[name].values()), metric) for name in ("KA", "DP_S"))
    if not ka:
        return []
    x, y = zip(*ka, strict=True)
    return [(n, value, float(np.interp(n, x, y))) for n, value in dp if x[0] <= n <= x[-1]]


def _points(runs: Sequence[Mapping[str, Any]], metric: str) -> list[tuple[int, float]]:
    return sorted((run["sessions"], run[metric]["value"]) for run in runs if run[metric]["value"] is not None)


def _uncertainty(ours: Curves) -> str:
    widths = [
        (high - low) / 2
        for runs in ours.values()
        for run in runs.values()
        for low, high in [run["P@5"]["interval"] or (0.0, 0.0)]
    ]
    return (
        "In our log a suggestion is seldom right, because its sessions share few queries: a precision is "
        "sure only to ± "
        f"{min(filter(None, widths), default=0.0):.4f} "
        f"at best and ± {max(widths):.4f} at worst (95 %)"
    )


def _by_threshold(ours: Curves) -> Panel:
    ks = sorted({k for ks in KS.values() for k in ks})
    table: list[list[Any]] = [
        [k, *(ours[name][k]["sessions"] if k in ours[name] else None for name in KS)] for k in ks
    ]
    points = [Point(run["sessions"], k, name) for name, runs in ours.items() for k, run in runs.items()]
    chart = curves(points, x="evaluated sessions", y="threshold K", log_y=True)
    return Panel(
        "(a) The threshold K for a number of sessions",
        ["K", *(f"sessions, {name}" for name in KS)],
        table,
        chart,
        DRAWN,
    )


def _by_sessions(ours: Curves, metric: str) -> Panel:
    table: list[list[Any]] = [
        [name, k, run["sessions"], run[metric]["value"], *(run[metric]["interval"] or (None, None))]
        for name, runs in ours.items()
        for k, run in runs.items()
    ]
    points = [
        Point(run["sessions"], run[metric]["value"], name)
        for name, runs in ours.items()
        for run in runs.values()
    ]
    chart = curves(points, x="evaluated sessions", y=METRICS[metric])
    letter = "b" if metric == "P@5" else "c"
    return Panel(
        f"({letter}) {METRICS[metric]}",
        ["log", "K", "evaluated sessions", f"{METRICS[metric]}, ours", "95 % from", "to"],
        table,
        chart,
    )


STUDY = Study(
    "zhang-figure-4.3",
    f"{PAPER}, Figure 4.3",
    "Query suggestion against the number of sessions evaluated",
    run,
)
