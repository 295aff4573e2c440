"""Figure 2: what is released of one week, as a function of d."""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.shapes import falls, peak, peaks_inside
from crowdlog.reproduce.studies.korolova_release import DS, PAPER, SETUP, WEEK, release
from crowdlog.reproduce.study import Claim, Panel, Result, Study

# §7.1.1, in words: "at most about 0.75% (for d = 1) of the distinct queries", "a maximum of about 34% of volume achieved by d of around 20".
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
    ]
    return Result(panels, claims(distinct, volume), SETUP)


def claims(distinct: Mapping[int, float], volume: Mapping[int, float]) -> list[Claim]:
    best = peak(volume)
    return [
        Claim("The percent of distinct queries released decreases as d increases.", falls(list(distinct.values())), ""),
        Claim("Few distinct queries cover a much larger share of the impressions.", all(volume[d] > distinct[d] for d in volume), ""),
        Claim("The percent of impressions first increases with d, then decreases.", peaks_inside(volume), f"ours is highest at d = {best}"),
        Claim("Most impressions are released for d around 20.", 10 <= best <= 40, f"ours is highest at d = {best}"),
    ]


def _panel(title: str, what: str, ours: Mapping[int, float], printed: Mapping[int, float]) -> Panel:
    points = [*(Point(d, y, what) for d, y in ours.items()), *(Point(d, y, what, PRINTED) for d, y in printed.items())]
    chart = curves(points, x="queries kept of each user, d", y=f"{what} released", log_x=True)
    return Panel(title, ["d", f"{what}, printed", f"{what}, ours"], [[d, printed.get(d), y] for d, y in ours.items()], chart, DRAWN)


STUDY = Study("korolova-figure-2", f"{PAPER}, Figure 2", "What can be released of one week, by the number of queries kept of each user", run)
