"""The panels that Figures 3 and 4 share: curves over d for each time span, and the growth against one day and
one week.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from crowdlog.reproduce.bench import Bench, Coverage
from crowdlog.reproduce.plots import PRINTED, Point, bars, curves
from crowdlog.reproduce.studies.korolova_release import D_AXIS, DS, by_span
from crowdlog.reproduce.study import Panel

Value = Callable[[Coverage], float]
Found = dict[str, dict[int, Coverage]]
WEEK = "1 week"


def spans(bench: Bench, what: str, value: Value) -> tuple[Panel, Found]:
    """One curve for each time span."""
    found = by_span(bench)
    points = [Point(d, value(one), name) for name, of in found.items() for d, one in of.items()]
    rows = [[d, *(value(of[d]) for of in found.values())] for d in DS]
    chart = curves(points, x=D_AXIS, y=what, log_x=True, log_y=True)
    note = (
        "Ours only: the paper's curves are drawn without values. "
        "Its longest log is a year, ours three months. No dot: nothing released."
    )
    return Panel(what.capitalize(), ["d", *found], rows, chart, note), found


def growth(what: str, found: Found, value: Value, printed: Mapping[str, int]) -> Panel:
    """The number released at d = 20 for each time span, over that of a week: of a day a small log releases
    nothing.
    """
    ours = {name: value(of[20]) for name, of in found.items()}
    relative = {name: y / ours[WEEK] if ours[WEEK] else None for name, y in ours.items()}
    theirs = {name: fold / printed[WEEK] for name, fold in printed.items()}
    rows = [[name, printed.get(name), theirs.get(name), relative[name], round(y)] for name, y in ours.items()]
    points = [Point(name, theirs.get(name), "d = 20", PRINTED) for name in ours] + [
        Point(name, y, "d = 20") for name, y in relative.items()
    ]
    columns = [
        "time span",
        "over one day, printed",
        "over one week, printed",
        "over one week, ours",
        "number, ours",
    ]
    note = (
        "Printed are multiples of one day; their quotients compare with ours, since of one day a small log "
        "may release nothing."
    )
    return Panel(
        f"Growth of the {what}, d = 20",
        columns,
        rows,
        bars(points, x="time span of the log", y="over one week"),
        note,
    )
