"""Figure 3.6: ε against the scale of the noise, for five thresholds, by the paper's Theorem 1."""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.privacy.published import a_click_epsilon, a_click_turning_point
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.zhang_grid import HERE, KS, Q_F
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study

BS = (2, 5, 10, 15, 20, 30, 50, 80, 120, 200, 300)  # finer than the releases: nothing is measured here
SETUP = (
    "Nothing is measured here: ε follows from the parameters by the paper's formula, which has two cases. "
    "Our A_Click promises 3·q_f/b at every K, which falls with b and has no turning point." + HERE
)


def run(_bench: Bench) -> Result:
    ours = {k: {b: a_click_epsilon(Q_F, Q_F, b, k, b, b) for b in BS} for k in KS}
    points = [Point(b, value, f"K = {k}") for k, of in ours.items() for b, value in of.items()]
    rows = [[k, turning(k), *of.values()] for k, of in ours.items()]
    chart = curves(points, x="scale b of the noise", y="ε, the paper's formula", log_x=True, log_y=True)
    columns = ["K", "b at the turning point", *(f"b = {b}" for b in BS)]
    return Result([Panel("ε for each K and b", columns, rows, chart)], claims(ours), SETUP)


def turning(k: int) -> float:
    """The b whose turning point is this K, by halving."""
    low, high = 0.5, 1000.0
    for _step in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if a_click_turning_point(middle) < k else (low, middle)
    return low


def claims(ours: Mapping[int, Mapping[int, float]]) -> list[Claim]:
    lowest = {k: min(of, key=lambda b: of[b]) for k, of in ours.items()}
    inside = [k for k, b in lowest.items() if b not in (BS[0], BS[-1])]
    near = {k: turning(k) for k in inside}
    place = {k: BS.index(lowest[k]) for k in inside}
    beside = all(BS[place[k] - 1] <= near[k] <= BS[place[k] + 1] for k in inside)
    return [
        Claim(
            "ε is not always monotonically related to b: some K have a smallest ε inside.",
            bool(inside),
            f"the smallest are at b = {list(lowest.values())}",
        ),
        Claim(
            "The smallest ε is at the turning point of Equation 3.11 (between the neighbours of b that "
            "were tried).",
            bool(inside) and beside,
            f"turning points {near}, smallest at {lowest}",
        ),
    ]


STUDY = Study("zhang-figure-3.6", f"{PAPER}, Figure 3.6", "The impact of K and b on ε", run)
