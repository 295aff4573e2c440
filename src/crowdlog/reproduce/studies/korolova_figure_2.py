"""Figure 2: what is released of one week, as a function of d."""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.plan.selections import NoisyThreshold
from crowdlog.privacy.published import dp_a
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.shapes import falls, peak, peaks_inside
from crowdlog.reproduce.studies.korolova_release import (
    D_AXIS,
    DELTA,
    DS,
    LN10,
    PAPER,
    SAME_K,
    SETUP,
    WEEK,
    by_d,
    release,
)
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study

# §7.1.1, in words: "at most about 0.75% (for d = 1) of the distinct queries", "a maximum of about 34% of
# volume achieved by d of around 20".
DISTINCT, VOLUME = {1: 0.75}, {20: 34.0}
DRAWN = "The text of the paper has one value of this curve; the others are only drawn."


def run(bench: Bench) -> Result:
    week = bench.days(0, WEEK)
    found = {d: bench.coverage(release(d), week) for d in bench.each(DS)}
    distinct = {d: 100 * one.distinct for d, one in found.items()}
    volume = {d: 100 * one.volume for d, one in found.items()}
    panels = [
        _panel("Distinct queries released", "% of distinct queries", distinct, DISTINCT),
        _panel("Impressions released", "% of impressions", volume, VOLUME),
        _thresholds(),
    ]
    return Result(panels, claims(distinct, volume), SETUP)


def claims(distinct: Mapping[int, float], volume: Mapping[int, float]) -> list[Claim]:
    best = peak(volume)
    highest = f"ours is highest at d = {best} with {volume[best]:.2g} %"
    some = [d for d in volume if distinct[d] > 0]
    shown, searched = f"ours: {by_d(distinct)}", f"ours: {by_d(volume)}"
    return [
        Claim(
            "The percent of distinct queries released decreases as d increases.",
            falls(list(distinct.values())),
            f"{shown}; {SAME_K}",
        ),
        Claim(
            "A small percent of distinct queries covers a larger percent of impressions.",
            bool(some) and all(volume[d] > distinct[d] for d in some),
            f"distinct queries, {shown}; impressions, {searched}",
        ),
        Claim(
            "The percent of impressions first increases with d, then decreases.",
            peaks_inside(volume),
            highest,
        ),
        Claim("The peak is at d around 20.", 10 <= best <= 40 and volume[best] > 0, highest),
        Claim(
            "The released queries are about 10 % to 35 % of the search volume.",
            all(9.5 <= y <= 35.5 for y in volume.values()),
            f"{searched}; {SAME_K}",
        ),
    ]


def _panel(title: str, what: str, ours: Mapping[int, float], printed: Mapping[int, float]) -> Panel:
    points = [
        *(Point(d, y, what) for d, y in ours.items()),
        *(Point(d, y, what, PRINTED) for d, y in printed.items()),
    ]
    chart = curves(points, x=D_AXIS, y=f"{what} released", log_x=True, log_y=True)
    return Panel(
        title,
        ["d", f"{what}, printed", f"{what}, ours"],
        [[d, printed.get(d), y] for d, y in ours.items()],
        chart,
        DRAWN,
    )


def _thresholds() -> Panel:
    """K and b of the paper's formula (its Table 1, which `crowdlog reproduce` checks) and of our exact,
    integer noise.
    """
    rows: list[list[Cell]] = []
    for d in DS:
        published, ours = dp_a(LN10, DELTA, d), release(d).plan[0].selection
        if isinstance(ours, NoisyThreshold):
            rows.append([d, published.k, ours.K, published.b, ours.scale])
    return Panel(
        "Thresholds", ["d", "K, the paper's formula", "K, ours", "b, the paper's formula", "b, ours"], rows
    )


STUDY = Study(
    "korolova-figure-2",
    f"{PAPER}, Figure 2",
    "What can be released of one week, by the number of queries kept of each user",
    run,
)
