"""Figure 3.8: which b to take for which K: the same releases as Figure 3.5, seen as a whole."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.zhang_clicks import SETUP, TRAP
from crowdlog.reproduce.studies.zhang_grid import BS, HERE, KS, Grid, curve, grid
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study

SMALL, LARGE = (10, 30, 50), (100, 500)


def run(bench: Bench) -> Result:
    found = grid(bench)
    points = [Point(k, value, f"b = {b}") for k in KS for b, value in curve(found, k).items()]
    rows = [[b, *(curve(found, k).get(b) for k in KS)] for b in BS]
    chart = curves(points, x="threshold K", y="nDCG@10", log_x=True)
    panel = Panel("nDCG@10 by b and K", ["b", *(f"K = {k}" for k in KS)], rows, chart, TRAP)
    return Result([panel], claims(found), SETUP + HERE)


def claims(found: Grid) -> list[Claim]:
    losses = {k: loss(curve(found, k)) for k in KS}
    known = {k: value for k, value in losses.items() if value is not None}
    small = [known[k] for k in SMALL if k in known]
    large = [known[k] for k in LARGE if k in known]
    told = ", ".join(f"K = {k}: {value:.3f}" for k, value in known.items()) or "too few releases answer"
    return [
        Claim(
            "As the noise grows utility falls, at every K.",
            len(known) > 1 and min(known.values()) > 0,
            f"the loss from b = {BS[0]} to the largest b that answers anything is {told}",
        ),
        Claim(
            "Noise costs less where K is large (100, 500) than where it is small (10, 30, 50): b may "
            "grow with K.",
            bool(small and large) and max(large) < min(small),
            f"the loss from b = {BS[0]} to the largest b that answers anything is {told}",
        ),
    ]


def loss(of: dict[int, float]) -> float | None:
    values = list(of.values())
    return values[0] - values[-1] if len(values) > 1 else None


STUDY = Study("zhang-figure-3.8", f"{PAPER}, Figure 3.8", "Which noise for which threshold", run)
