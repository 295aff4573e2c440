"""The first thing an owner looks at: every mechanism in one line, what it promises, what it keeps and what an
attacker gets.
"""

from __future__ import annotations

from collections.abc import Sequence

from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.rows import Row, attack_verdict
from crowdlog.number_format import NOTHING, decimal, percent, rounded_up
from crowdlog.pages.render import render
from crowdlog.pages.table import Cell, Mark, PageTable
from crowdlog.release.label import Label

HEADINGS = {
    "coverage:queries:impressions": "searches covered",
    "coverage:clicks:impressions": "clicks covered",
    "coverage:pairs:impressions": "next searches covered",
}
TASK_MEASURES = ("nDCG@10", "RR", "purity")  # one score stands for a task, the first of these that it has
# How each verdict looks: a colour, and a sign for those who do not see it.
MARKS: dict[str, tuple[Mark, str]] = {
    "broken": ("bad", "▲ "),
    "admitted": ("so-so", "△ "),
    "guess": ("soft", ""),
}
MISSING = Cell(NOTHING, numeric=True)


def summary_table(comparison: Comparison) -> PageTable:
    """A line for each mechanism. Those with a promise come first."""
    found = {(point["mechanism"], point["name"]): point for point in comparison.points}
    measures = headlines(comparison.points)
    attacks = list(dict.fromkeys(p["name"] for p in comparison.points if p["kind"] == "attack"))
    best = _best(comparison.points, measures)
    rows = []
    for mechanism in comparison.ordered():
        useful = [_useful(found.get((mechanism, name)), mechanism in best.get(name, ())) for name in measures]
        attacked = [_attacked(found.get((mechanism, name))) for name in attacks]
        rows.append([Cell(mechanism, code=True), promised(comparison.labels[mechanism]), *useful, *attacked])
    # a blank lets a long name break
    headings = [HEADINGS.get(name, name).replace(":", ": ") for name in (*measures, *attacks)]
    return PageTable("At a glance", ("mechanism", "promise", *headings), rows, dense=True)


def in_notebook(comparison: Comparison) -> str:
    """The table as HTML with a style of its own."""
    return render(
        "notebook.html",
        title=repr(comparison),
        failures=[str(why) for why in comparison.failures.values()],
        summary=summary_table(comparison),
    )


def promised(label: Label) -> Cell:
    """The ε of a mechanism, or that it has none."""
    guarantee = label.promise.guarantee
    return Cell(f"ε = {rounded_up(guarantee.epsilon)}") if guarantee.protects else Cell("none", mark="bad")


def headlines(points: Sequence[Row]) -> list[str]:
    """Shares of what was asked and clicked, and one score of each task."""
    names = list(
        dict.fromkeys(
            point["name"]
            for point in points
            if point["kind"] == "utility" and point["zero"] and point["value"] is not None
        )
    )
    chosen = [name for name in names if name in HEADINGS]
    for task in dict.fromkeys(name.split(":")[0] for name in names if not name.startswith("coverage:")):
        of_task = [name for name in names if name.startswith(f"{task}:")]
        preferred = [name for measure in TASK_MEASURES for name in of_task if name.endswith(measure)]
        chosen += (preferred or of_task)[:1]
    return chosen


def _best(points: Sequence[Row], measures: Sequence[str]) -> dict[str, set[str]]:
    """For each measure the mechanisms that no other with the same ε beats."""
    highest: dict[tuple[str, str], float] = {}
    wanted = [
        point
        for point in points
        if point["name"] in measures and point["epsilon"] is not None and point["value"]
    ]
    for point in wanted:
        key = point["name"], rounded_up(point["epsilon"])
        highest[key] = max(highest.get(key, 0.0), point["value"])
    best: dict[str, set[str]] = {}
    for point in wanted:
        if point["value"] == highest[point["name"], rounded_up(point["epsilon"])]:
            best.setdefault(point["name"], set()).add(point["mechanism"])
    return best


def _useful(point: Row | None, best: bool) -> Cell:
    if point is None or point["value"] is None:
        return MISSING
    text = percent(point["value"], 1) if point["name"] in HEADINGS else decimal(point["value"], 3)
    return Cell(text, numeric=True, strong=best)


def _attacked(point: Row | None) -> Cell:
    if point is None or point["value"] is None:
        return MISSING
    mark, sign = MARKS[attack_verdict(point)]
    return Cell(sign + percent(point["value"], 1), numeric=True, mark=mark)
