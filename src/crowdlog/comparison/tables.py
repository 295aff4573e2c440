"""The tables of the report: every attack, every number, every promise with its commands."""

from __future__ import annotations

import html

from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.rows import Row, attack_verdict, series
from crowdlog.release.meaning import meaning_for_one_person


def attack_table(comparison: Comparison) -> str:
    rows = []
    for point in _points(comparison, "attack"):
        cells = (
            f"<td><code>{html.escape(point['mechanism'])}</code></td><td>{html.escape(point['name'])}</td>"
        )
        if point["value"] is None:
            rows.append(f'<tr>{cells}<td class="soft" colspan="5">{html.escape(point["note"])}</td></tr>')
            continue
        numbers = [
            f"{point['value']:.2%}",
            f"{point['low']:.2%} – {point['high']:.2%}",
            f"{point['chance']:.2%}",
        ]
        numbers.append("" if point["admitted"] is None else f"{point['admitted']:.2%}")
        shown = "".join(f'<td class="n">{number}</td>' for number in numbers)
        rows.append(f"<tr>{cells}{shown}{_judged(point)}</tr>")
    head = ["mechanism", "attack", "success", "interval", "a guess", "the promise admits", ""]
    return _folded("Every attack", head, rows)


def _judged(point: Row) -> str:
    words = {
        "broken": "better than a guess"
        if point["admitted"] in (None, 0.5)
        else "more than the promise admits",
        "admitted": "better than a guess, as the label says"
        if point["admitted"] is None
        else "better than a guess, within the promise",
        "guess": "no better than a guess",
    }
    marks = {"broken": " bad", "admitted": " so-so", "guess": ""}
    return f'<td class="n{marks[attack_verdict(point)]}">{words[attack_verdict(point)]}</td>'


def utility_table(comparison: Comparison) -> str:
    rows = []
    for point in _points(comparison, "utility"):
        cells = (
            f"<td><code>{html.escape(point['mechanism'])}</code></td><td>{html.escape(point['name'])}</td>"
        )
        if point["value"] is None:
            rows.append(f'<tr>{cells}<td class="soft" colspan="3">{html.escape(point["note"])}</td></tr>')
            continue
        evaluated = "–" if point["evaluated"] is None else f"{point['evaluated']:,}"
        interval = f"{point['low']:.4f} – {point['high']:.4f}"
        rows.append(
            f'<tr>{cells}<td class="n">{point["value"]:.4f}</td><td class="n">{interval}</td><td class="n">{evaluated}</td></tr>'
        )
    return _folded(
        "Every measure of utility", ["mechanism", "measure", "value", "interval", "evaluated on"], rows
    )


def _points(comparison: Comparison, kind: str) -> list[Row]:
    place = {mechanism: i for i, mechanism in enumerate(comparison.ordered())}
    return sorted(
        (point for point in comparison.points if point["kind"] == kind),
        key=lambda point: place[point["mechanism"]],
    )


def _folded(title: str, head: list[str], rows: list[str]) -> str:
    if not rows:
        return ""
    first = "".join(f"<th>{name}</th>" for name in head)
    table = f'<div class="wide"><table><tr>{first}</tr>{"".join(rows)}</table></div>'
    return f"<h2>{title}</h2><details><summary>All {len(rows):,} lines</summary>{table}</details>"


def promises(comparison: Comparison) -> str:
    """Mechanisms that differ in ε alone together: what they publish and do not cover, then each with its
    promise and its commands.
    """
    groups: dict[str, list[str]] = {}
    for mechanism in comparison.ordered():
        groups.setdefault(series(mechanism), []).append(mechanism)
    parts = [
        "<h2>Promises and commands</h2>",
        '<p class="soft">The first command repeats the point (free), the second publishes it (charged).</p>',
    ]
    for name, mechanisms in groups.items():
        label = comparison.labels[mechanisms[0]]
        uncovered = "".join(f"<li>{html.escape(line)}</li>" for line in label.promise.unprotected)
        parts += [f"<h3><code>{html.escape(name)}</code></h3><p>{html.escape(label.description)}.</p>"]
        parts += [f"<p>Not covered by the promise:</p><ul>{uncovered}</ul>"] if uncovered else []
        parts += [_promise(comparison, mechanism) for mechanism in mechanisms]
    return "".join(parts)


def _promise(comparison: Comparison, mechanism: str) -> str:
    promised, commands = comparison.labels[mechanism].promise.guarantee, comparison.commands(mechanism)
    short = f"ε = {promised.epsilon:.4g}, δ = {promised.delta:.2g}" if promised.protects else "no guarantee"
    return (
        f'<div class="promise"><p><b>{short}.</b> {html.escape(meaning_for_one_person(promised))}</p>'
        f"<pre>{html.escape(commands['repeat'])}\n{html.escape(commands['publish'])}</pre></div>"
    )
