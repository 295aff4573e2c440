"""What Figures 3.8 and 3.9 share: one release of a month, two of half a month, or 31 of a day, for the same ε
and δ in all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from crowdlog.reproduce.bench import Bench, Coverage
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.feild_release import ARTIFACTS, NO_PAIRS, PRIVATE, SETUP, private
from crowdlog.reproduce.study import Cell, Claim, Panel, Result

DS = (1, 10, 100)
SPANS = {"Days": [(day, 1) for day in range(31)], "Half-month": [(0, 15), (15, 16)], "Month": [(0, 31)]}
TOGETHER = (
    "The thesis prints no value of this figure, so all are ours; "
    "the log is the first month of the synthetic one. "
    f"Each of n releases gets ε/n and δ/n, since the same people search in all of them. {SETUP}"
)
TOO_FEW = (
    "day-long logs release nothing: with ε/31 a query needs about 200 people in a day, and in a log of this "
    "size none has so many"
)
LESS = "the month-long log releases more"
Found = Mapping[tuple[str, str, str], Mapping[int, float]]  # artifact, mechanism, span


def study(bench: Bench, what: str, value: Callable[[Coverage], float]) -> Result:
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for artifact, name, span in bench.each([(a, m, s) for a in ARTIFACTS for m in PRIVATE for s in SPANS]):
        month, parts = bench.days(0, 31), [bench.days(*days) for days in SPANS[span]]
        found[artifact, name, span] = {
            d: 100 * value(bench.coverage(private(name, d, artifact, len(parts)), month, parts=parts))
            for d in DS
        }
    return Result([_panel(artifact, what, found) for artifact in ARTIFACTS], claims(found), TOGETHER)


def claims(found: Found) -> list[Claim]:
    some = [
        artifact
        for artifact in ARTIFACTS
        if any(y > 0 for (a, _m, _span), of in found.items() if a == artifact for y in of.values())
    ]
    worse = [
        f"{ARTIFACTS[a]} with {m}"
        for a in some
        for m in PRIVATE
        if not _grows([found[a, m, span] for span in SPANS])
    ]
    asked = (
        ""
        if len(some) == len(ARTIFACTS)
        else f" (Asked of {' and '.join(ARTIFACTS[a] for a in some) or 'nothing'}: {NO_PAIRS}.)"
    )
    days = max(found["query", m, "Days"][1] for m in PRIVATE)
    slight = any(found["query", m, "Days"][1] > found["query", m, "Month"][1] for m in PRIVATE)
    pairs = {span: max(y for m in PRIVATE for y in found["pair", m, span].values()) for span in SPANS}
    zealous = {span: max(found["pair", "ZEALOUS", span].values()) for span in SPANS}
    return [
        Claim(
            f"Longer spanning logs provide greater coverage (d > 1).{asked}",
            bool(some) and not worse,
            f"not of {', '.join(worse) or 'anything'}",
        ),
        Claim(
            "Day-long logs have an advantage, if very slight, for queries when d = 1.",
            slight,
            LESS if days else TOO_FEW,
        ),
        Claim(
            "For query pairs longer spanning logs are essential to reveal anything.",
            pairs["Month"] > 0 and pairs["Days"] == 0,
            _largest(pairs),
        ),
        Claim(
            "With ZEALOUS the month-long log is the only one that shows any query pair.",
            [share > 0 for share in zealous.values()] == [False, False, True],
            _largest(zealous),
        ),
    ]


def _largest(pairs: Mapping[str, float]) -> str:
    """The largest share of query pairs by span."""
    if not any(pairs.values()):
        return NO_PAIRS
    return "of query pairs at most " + ", ".join(f"{share:.2g} % ({span})" for span, share in pairs.items())


def _grows(spans: list[Mapping[int, float]]) -> bool:
    """For every d but 1, of which the thesis says otherwise, never less from a longer span, and somewhere
    more.
    """
    curves_ = [[of[d] for d in DS if d > 1] for of in spans]
    never_less = all(a <= b for short, long in pairwise(curves_) for a, b in zip(short, long, strict=True))
    return never_less and max(curves_[-1]) > min(curves_[0])


def _panel(artifact: str, what: str, found: Found) -> Panel:
    mine = {f"{m}, {span}": of for (a, m, span), of in found.items() if a == artifact}
    points = [Point(d, y, series) for series, of in mine.items() for d, y in of.items()]
    rows: list[list[Cell]] = [[series, *of.values()] for series, of in mine.items()]
    chart = curves(points, x="artifacts kept of each user, d", y=f"% of {what}", log_x=True, log_y=True)
    return Panel(
        f"{ARTIFACTS[artifact].capitalize()}: % of {what}",
        ["mechanism, span", *(f"d = {d}" for d in DS)],
        rows,
        chart,
    )
