"""The tables of the report: every attack, every number, every promise with its commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.grid import LOG_ITSELF
from crowdlog.comparison.measure_names import is_share, readable
from crowdlog.comparison.rows import Row, attack_verdict, series
from crowdlog.comparison.summary_table import MARKS
from crowdlog.number_format import NOTHING, decimal, number, percent, rounded_up
from crowdlog.pages.table import Cell, PageTable
from crowdlog.release.meaning import meaning_for_one_person


def attack_table(comparison: Comparison) -> PageTable:
    """A line for each mechanism and attack; where an attack had nothing to attack, its note."""
    columns = ("mechanism", "attack", "success", "interval", "a guess", "the promise admits", "verdict")
    rows = []
    for point in _points(comparison, "attack"):
        start = [Cell(point["mechanism"], code=True), Cell(point["name"])]
        if point["value"] is None:
            rows.append([*start, Cell(point["note"], mark="soft", span=5)])
            continue
        admitted = "" if point["admitted"] is None else percent(point["admitted"])
        numbers = (
            percent(point["value"]),
            f"{percent(point['low'])} – {percent(point['high'])}",
            percent(point["chance"]),
            admitted,
        )
        rows.append([*start, *(Cell(text, numeric=True) for text in numbers), judged(point)])
    return PageTable("Every attack", columns, rows)


def judged(point: Row) -> Cell:
    """The verdict on an attack in words."""
    verdict = attack_verdict(point)
    words = {
        "broken": "better than a guess"
        if point["admitted"] in (None, 0.5)
        else "more than the promise admits",
        "admitted": "better than a guess, as the label says"
        if point["admitted"] is None
        else "better than a guess, within the promise",
        "guess": "no better than a guess",
    }
    mark, sign = MARKS[verdict]
    return Cell(sign + words[verdict], mark=mark)


def utility_table(comparison: Comparison) -> PageTable:
    """A line for each mechanism and measure; where nothing could be measured, the reason."""
    columns = ("mechanism", "measure", "its name", "value", "interval", "evaluated on")
    rows = []
    for point in _points(comparison, "utility"):
        start = [
            Cell(point["mechanism"], code=True),
            Cell(readable(point["name"])),
            Cell(point["name"], code=True),
        ]
        if point["value"] is None:
            rows.append([*start, Cell(point["note"], mark="soft", span=3)])
            continue
        told = percent if is_share(point["name"]) else decimal
        numbers = (
            told(point["value"]),
            f"{told(point['low'])} – {told(point['high'])}",
            number(point["evaluated"]),
        )
        rows.append([*start, *(Cell(text, numeric=True) for text in numbers)])
    return PageTable("Every measure of utility", columns, rows)


def kept_table(comparison: Comparison, by: str) -> PageTable:
    """What the maps of `maps.kept` show: how much was kept of each band."""
    rows = [
        [
            Cell(row["mechanism"], code=True),
            Cell(row["table"]),
            Cell(str(row["from"])),
            Cell(number(round(row["kept"])), numeric=True),
            Cell(number(round(row["in_log"])), numeric=True),
            Cell(percent(row["kept"] / row["in_log"]) if row["in_log"] else NOTHING, numeric=True),
        ]
        for row in comparison.kept_by()
        if row["by"] == by
    ]
    columns = ("mechanism", "table", f"{by}, from", "kept", "in the log", "share")
    return PageTable(f"What was kept, by {by}", columns, rows)


def exposure_table(comparison: Comparison) -> PageTable:
    """What the histograms of `maps.exposure_histograms` show, of all mechanisms."""
    rows = [
        [
            Cell(row["mechanism"], code=True),
            Cell(f"{percent(row['level'], 0)} to {percent(row['end'], 0)}"),
            Cell(number(round(row["people"])), numeric=True),
        ]
        for row in comparison.exposure()
    ]
    return PageTable(
        "How much of a person's profile is exposed", ("mechanism", "share exposed", "people"), rows
    )


def _points(comparison: Comparison, kind: str) -> list[Row]:
    place = {mechanism: i for i, mechanism in enumerate([LOG_ITSELF.mechanism, *comparison.ordered()])}
    return sorted(
        (point for point in comparison.points if point["kind"] == kind),
        key=lambda point: place[point["mechanism"]],
    )


@dataclass(frozen=True)
class PromiseText:
    """A mechanism's promise in words, and the commands that repeat its point and publish it."""

    short: str
    meaning: str
    repeat: str
    publish: str


@dataclass(frozen=True)
class PromiseGroup:
    """Mechanisms that differ in ε alone: what they publish and do not cover is the same."""

    series: str
    description: str
    unprotected: Sequence[str]
    promises: Sequence[PromiseText]


def promises(comparison: Comparison) -> list[PromiseGroup]:
    """Every promise, those that differ in ε alone together."""
    groups: dict[str, list[str]] = {}
    for mechanism in comparison.ordered():
        groups.setdefault(series(mechanism), []).append(mechanism)
    found = []
    for name, mechanisms in groups.items():
        label = comparison.labels[mechanisms[0]]
        texts = [_promise(comparison, mechanism) for mechanism in mechanisms]
        found.append(PromiseGroup(name, label.description, label.promise.unprotected, texts))
    return found


def _promise(comparison: Comparison, mechanism: str) -> PromiseText:
    promised = comparison.labels[mechanism].promise.guarantee
    if promised.protects:
        short = f"ε = {rounded_up(promised.epsilon)}, δ = {rounded_up(promised.delta)}"
    elif promised.k is not None:
        short = f"{promised.kind}, k = {promised.k}, no ε"
    else:
        short = "no guarantee"
    return PromiseText(short, meaning_for_one_person(promised), **comparison.commands(mechanism))
