"""What an owner decides by, first on the page: what each release shows, which tasks it supports beside the
log itself, and what an attacker gets.
"""

from __future__ import annotations

from collections.abc import Sequence

from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.grid import LOG_ITSELF
from crowdlog.comparison.rows import Row, attack_verdict, mean
from crowdlog.comparison.support import TASKS, Support, own_scores
from crowdlog.number_format import NOTHING, decimal, number, percent, rounded_up
from crowdlog.pages.render import render
from crowdlog.pages.table import Cell, Mark, PageTable
from crowdlog.release.label import Label

COVERED = {
    "coverage:queries:impressions": "searches covered",
    "coverage:clicks:impressions": "clicks covered",
    "coverage:pairs:impressions": "next searches covered",
}
COUNTS_OFF = "coverage:queries:median_relative_error"
# How each verdict looks: a colour, and a sign for those who do not see it.
MARKS: dict[str, tuple[Mark, str]] = {
    "broken": ("bad", "▲ "),
    "admitted": ("so-so", "△ "),
    "guess": ("soft", ""),
}
SUPPORT_MARKS: dict[str, tuple[Mark, str]] = {
    "yes": ("good", "✓ yes"),
    "partly": ("so-so", "△ partly"),
    "no": ("bad", "✗ no"),
}
MISSING = Cell(NOTHING, numeric=True)


def opening(comparison: Comparison) -> list[PageTable]:
    """The tables that have something to show."""
    tables = (shown_table(comparison), task_table(comparison), attacker_table(comparison))
    return [table for table in tables if len(table.columns) > 2]


def shown_table(comparison: Comparison) -> PageTable:
    """Rows published, shares of searches and clicks covered, and how right the counts are."""
    found = {(point["mechanism"], point["name"]): point for point in comparison.points}
    measures = [name for name in COVERED if any(name == point["name"] for point in comparison.points)]
    best = _best(comparison.points, measures)
    rows = []
    for mechanism in comparison.ordered():
        covered = [
            _covered(found.get((mechanism, name)), mechanism in best.get(name, ())) for name in measures
        ]
        off = found.get((mechanism, COUNTS_OFF))
        error = (
            MISSING if off is None or off["value"] is None else Cell(percent(off["value"], 0), numeric=True)
        )
        rows.append([*_named(comparison, mechanism), _published(comparison, mechanism), *covered, error])
    columns = ("release", "promise", "rows published", *(COVERED[name] for name in measures), "counts off by")
    return PageTable("What each release shows", columns, rows, dense=True)


def task_table(comparison: Comparison) -> PageTable:
    """For each task whether a release supports it: its score as a share of the log's own, and about how many
    people would be needed.
    """
    supports, own, tasks = comparison.supports, own_scores(comparison.details), _tasks(comparison)
    rows = [[Cell(LOG_ITSELF.mechanism), Cell("none", mark="bad"), *(_own(own.get(task)) for task in tasks)]]
    for mechanism in comparison.ordered():
        of = supports.get(mechanism, {})
        rows.append(
            [*_named(comparison, mechanism), *(_support(of.get(task), comparison.people) for task in tasks)]
        )
    columns = ("release", "promise", *(TASKS[task] for task in tasks))
    return PageTable("Which tasks each release supports", columns, rows, dense=True)


def answers(comparison: Comparison) -> list[str]:
    """For each task, in a sentence, which releases support it: those that promise something first."""
    return [f"{TASKS[task].capitalize()}: {_answer(comparison, task)}" for task in _tasks(comparison)]


def _tasks(comparison: Comparison) -> list[str]:
    """Those that were tried with a release or with the log itself."""
    own, supports = own_scores(comparison.details), comparison.supports.values()
    return [task for task in TASKS if task in own or any(task in of for of in supports)]


def _answer(comparison: Comparison, task: str) -> str:
    names: dict[tuple[str, bool], list[str]] = {}
    for mechanism in comparison.ordered():
        support = comparison.supports.get(mechanism, {}).get(task)
        if support is not None:
            promise = promised(comparison.labels[mechanism])
            bare = promise.mark == "bad"
            words = mechanism if bare else f"{mechanism} ({promise.text})"
            names.setdefault((support.verdict, bare), []).append(words)
    answer = f"supported by {', '.join(names.get(('yes', False), ['no release that promises anything']))}"
    if ("partly", False) in names:
        answer += f"; partly by {', '.join(names['partly', False])}"
    if ("yes", True) in names:
        answer += f"; without a promise by {', '.join(names['yes', True])}"
    return f"{answer}."


def attacker_table(comparison: Comparison) -> PageTable:
    """The success of each attack."""
    found = {(point["mechanism"], point["name"]): point for point in comparison.points}
    attacks = list(dict.fromkeys(p["name"] for p in comparison.points if p["kind"] == "attack"))
    rows = [
        [*_named(comparison, mechanism), *(_attacked(found.get((mechanism, name))) for name in attacks)]
        for mechanism in comparison.ordered()
    ]
    # a blank lets a long name break
    headings = [name.replace(":", ": ") for name in attacks]
    return PageTable("What an attacker gets", ("release", "promise", *headings), rows, dense=True)


def in_notebook(comparison: Comparison) -> str:
    """The tables as HTML with a style of their own."""
    return render(
        "notebook.html",
        title=repr(comparison),
        failures=[str(why) for why in comparison.failures.values()],
        opening=opening(comparison),
        answers=answers(comparison),
    )


def promised(label: Label) -> Cell:
    """The ε of a mechanism, or its k, or that it has neither."""
    guarantee = label.promise.guarantee
    if guarantee.protects:
        return Cell(f"ε = {rounded_up(guarantee.epsilon)}")
    if guarantee.k is not None:
        return Cell(f"{guarantee.kind}, k = {guarantee.k}")
    return Cell("none", mark="bad")


def _named(comparison: Comparison, mechanism: str) -> list[Cell]:
    return [Cell(mechanism, code=True), promised(comparison.labels[mechanism])]


def _published(comparison: Comparison, mechanism: str) -> Cell:
    """The rows of each table, the mean over the trials."""
    labels = [label for run, label in comparison.trials.items() if run.mechanism == mechanism]
    tables = dict.fromkeys(name for label in labels for name in label.tables)
    counted = {name: mean([label.tables for label in labels], name) for name in tables}
    words = [f"{number(round(rows))} {name.replace('_', ' ')}" for name, rows in counted.items()]
    return Cell(", ".join(words) or "nothing")


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


def _covered(point: Row | None, best: bool) -> Cell:
    if point is None or point["value"] is None:
        return MISSING
    return Cell(percent(point["value"], 1), numeric=True, strong=best)


def _own(score: Row | None) -> Cell:
    if score is None:
        return Cell(NOTHING)
    details = score["details"]
    answered = details["original_answered"] / details["asked"] if details["asked"] else 0.0
    words = f"{decimal(details['unanswered_as_zero'], 3)}: the measure of the others; "
    return Cell(words + f"answers {percent(answered, 1)}")


def _support(found: Support | None, people: int) -> Cell:
    if found is None or found.share is None:
        return Cell("✗ no: nothing is published that it needs", mark="bad")
    mark, sign = SUPPORT_MARKS[found.verdict]
    words = f"{sign}: {percent(found.share, 0)} of the log's own ({decimal(found.score, 3)}); "
    words += f"answers {percent(found.answered, 1)}"
    if found.on_answered is not None and found.own_on_answered:
        words += f", there {percent(found.on_answered / found.own_on_answered, 0)} of the log's own"
    if found.verdict != "yes":
        words += "; " + _people(found.people, people)
    return Cell(words, mark=mark)


def _people(needed: int | None, people: int) -> str:
    """In two digits: it is an estimate."""
    if needed is None:
        return "people needed: cannot be said"
    if needed <= people:
        return "more people alone would not do: its counts or bounds lose too much"
    return f"about {float(f'{needed:.1e}'):,.0f} people needed"


def _attacked(point: Row | None) -> Cell:
    if point is None or point["value"] is None:
        return MISSING
    mark, sign = MARKS[attack_verdict(point)]
    return Cell(sign + percent(point["value"], 1), numeric=True, mark=mark)
