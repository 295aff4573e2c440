"""The first thing an owner looks at: every mechanism in one line, what it promises, what it keeps and what an
attacker gets.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.rows import Row, attack_verdict
from crowdlog.release.label import Label

HEADINGS = {
    "coverage:queries:impressions": "searches covered",
    "coverage:clicks:impressions": "clicks covered",
    "coverage:pairs:impressions": "next searches covered",
}
TASK_MEASURES = ("nDCG@10", "RR", "purity")  # one score stands for a task, the first of these that it has
MARKS = {"broken": "bad", "admitted": "so-so"}
NOTE = (
    "<b>Bold</b>: the most useful of those that promise the same ε. An attack's number is its success; "
    '<span class="bad">red</span> is better than a guess and not admitted by the promise, <span class="so-so">amber</span> is better than a guess '
    "but no more than the promise admits or the label says, grey is no better than a guess. A dash: not measured; the reason is in the tables below."
)


def summary_table(comparison: Comparison) -> str:
    """The table as HTML. Those with a promise come first."""
    found = {(point["mechanism"], point["name"]): point for point in comparison.points}
    measures, attacks = (
        headlines(comparison.points),
        list(dict.fromkeys(p["name"] for p in comparison.points if p["kind"] == "attack")),
    )
    best = _best(comparison.points, measures)
    head = "".join(
        f'<th class="n">{html.escape(HEADINGS.get(name, name)).replace(":", ":<wbr>")}</th>'
        for name in [*measures, *attacks]
    )
    rows = []
    for mechanism in comparison.ordered():
        useful = "".join(
            _useful(found.get((mechanism, name)), mechanism in best.get(name, ())) for name in measures
        )
        attacked = "".join(_attacked(found.get((mechanism, name))) for name in attacks)
        rows.append(
            f"<tr><td><code>{html.escape(mechanism)}</code></td><td>{promised(comparison.labels[mechanism])}</td>{useful}{attacked}</tr>"
        )
    table = f'<table class="glance"><tr><th>mechanism</th><th>promise</th>{head}</tr>{"".join(rows)}</table>'
    return f'<h2>At a glance</h2><div class="wide">{table}</div><p class="soft">{NOTE}</p>'


def in_notebook(comparison: Comparison) -> str:
    """The same with its own style."""
    style = ".crowdlog .bad{color:#a3331f;font-weight:600}.crowdlog .so-so{color:#9a6700}.crowdlog .soft{color:#777}.crowdlog .n{text-align:right}"
    failed = "".join(f"<li>{html.escape(str(why))}</li>" for why in comparison.failures.values())
    return f'<div class="crowdlog"><style>{style}</style><p>{html.escape(repr(comparison))}</p><ul>{failed}</ul>{summary_table(comparison)}</div>'


def promised(label: Label) -> str:
    guarantee = label.promise.guarantee
    return f"ε = {guarantee.epsilon:.3g}" if guarantee.protects else '<span class="bad">none</span>'


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
        chosen += (
            [name for measure in TASK_MEASURES for name in of_task if name.endswith(measure)] or of_task
        )[:1]
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
        key = point["name"], f"{point['epsilon']:.3g}"
        highest[key] = max(highest.get(key, 0.0), point["value"])
    best: dict[str, set[str]] = {}
    for point in wanted:
        if point["value"] == highest[point["name"], f"{point['epsilon']:.3g}"]:
            best.setdefault(point["name"], set()).add(point["mechanism"])
    return best


def _useful(point: Row | None, best: bool) -> str:
    if point is None or point["value"] is None:
        return '<td class="n">–</td>'
    share = _short(point["value"], ".1%" if point["name"] in HEADINGS else ".3f")
    return f'<td class="n">{f"<b>{share}</b>" if best else share}</td>'


def _attacked(point: Row | None) -> str:
    if point is None or point["value"] is None:
        return '<td class="n">–</td>'
    value = _short(point["value"], ".1%")
    return f'<td class="n {MARKS.get(attack_verdict(point), "soft")}">{value}</td>'


def _short(value: float, form: str) -> str:
    """The number; 0 only for nothing at all."""
    return "0" if value == 0 else "≈ 0" if value < 5e-4 else format(value, form)
