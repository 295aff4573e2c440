"""Risk and utility against k, for all methods that have one, and the k that a target exposure asks for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt

from crowdlog.comparison.charts import inline
from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.grid import LOG_ITSELF
from crowdlog.comparison.rows import LESS_IS_BETTER, Row, spelled_without
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.parameters import with_role
from crowdlog.number_format import NOTHING, decimal, percent
from crowdlog.pages.table import Cell, PageTable
from crowdlog.pages.vega import INK, colours, finished, shapes

EXPOSURE = "exposure"  # the attack whose success is the profile exposure level (PEL)
TARGETS = (0.5, 0.4, 1 / 3, 0.2, 0.1)  # 40 %: Erola 2013, §5.3.2.3
HEIGHT = 330


def curves(comparison: Comparison) -> list[Row]:
    """The points of mechanisms with a parameter of the role anonymity, of methods that were tried with two
    different ones at least.
    """
    found: list[Row] = []
    tried: dict[str, set[int]] = {}
    for point in comparison.points:
        if point["mechanism"] == LOG_ITSELF.mechanism:
            continue
        said = with_role(parse(point["mechanism"]), "anonymity")
        if said and point["value"] is not None:
            ((name, k),) = said.items()
            method = spelled_without(point["mechanism"], name)
            tried.setdefault(method, set()).add(k)
            found.append(point | {"k": k, "method": method})
    return [point for point in found if len(tried[point["method"]]) > 1]


def suggested_k(comparison: Comparison, target: float) -> dict[str, int | None]:
    """For each method the smallest k that was tried whose mean exposure, and that of every larger k, is at
    most the target; None where there is none.
    """
    levels: dict[str, dict[int, float]] = {}
    for point in curves(comparison):
        if point["name"] == EXPOSURE:
            levels.setdefault(point["method"], {})[point["k"]] = point["value"]
    found: dict[str, int | None] = {}
    for method, of_k in levels.items():
        chosen = None
        for k in sorted(of_k, reverse=True):
            if of_k[k] > target:
                break
            chosen = k
        found[method] = chosen
    return found


def suggestions(comparison: Comparison) -> PageTable | None:
    """A line for each method, a column for each target; None where exposure was not measured against k."""
    by_target = [suggested_k(comparison, target) for target in TARGETS]
    if not by_target[0]:
        return None
    rows = [
        [Cell(method, code=True), *(_cell(chosen[method]) for chosen in by_target)] for method in by_target[0]
    ]
    columns = ("method", *(f"exposure at most {percent(target, 0)}" for target in TARGETS))
    return PageTable("Which k for which mean exposure of profiles (PEL)", columns, rows)


def _cell(k: int | None) -> Cell:
    return Cell("no k tried", numeric=True, mark="soft") if k is None else Cell(f"k = {k}", numeric=True)


def numbers(comparison: Comparison) -> PageTable:
    """What the chart shows: a line for each method and number, a column for each k."""
    points = curves(comparison)
    every_k = sorted({point["k"] for point in points})
    found = {(point["method"], point["name"], point["k"]): point["value"] for point in points}
    names = dict.fromkeys((point["method"], point["name"]) for point in points)
    rows = []
    for method, name in names:
        values = [found.get((method, name, k)) for k in every_k]
        cells = [Cell(NOTHING if value is None else decimal(value, 3), numeric=True) for value in values]
        rows.append([Cell(method, code=True), Cell(name), *cells])
    return PageTable("Risk and utility against k", ("method", "number", *(f"k = {k}" for k in every_k)), rows)


def against_k(comparison: Comparison) -> Any:
    """One number of the reader's choice against k; a dashed line is 1/k."""
    points = curves(comparison)
    if not points:
        return None
    names = _ordered(points)
    methods = list(dict.fromkeys(point["method"] for point in points))
    wanted = ("method", "k", "name", "value", "low", "high", "mechanism")
    base = inline([{key: point[key] for key in wanted} for point in points])
    chosen = alt.param(
        "number",
        value=names[0],
        bind=alt.binding_select(
            options=names, labels=[_said(points, name) for name in names], name="Number: "
        ),
    )
    shown = base.transform_filter("datum.name == number")
    every_k = sorted({point["k"] for point in points})
    x = alt.X(
        "k:Q",
        title="k (more is more private)",
        scale=alt.Scale(zero=False, nice=False, padding=25),
        axis=alt.Axis(values=every_k, format="d"),
    )
    measured = json.dumps(_measured(points), ensure_ascii=False)
    # a method for which the chosen number was not measured has no line, and no place in the legend
    named = alt.ExprRef(f"({measured}[number] || [])")
    legend = alt.Legend(values=named, title=None, orient="bottom", columns=1, labelLimit=420, symbolOpacity=1)
    colour = alt.Color(
        "method:N", scale=alt.Scale(domain=methods, range=colours(len(methods))), legend=legend
    )
    shape = alt.Shape("method:N", scale=alt.Scale(domain=methods, range=shapes(len(methods))), legend=legend)
    up = alt.Y("value:Q", title=None)
    tip = [
        "mechanism:N",
        "name:N",
        *(alt.Tooltip(f"{end}:Q", format=".3~g") for end in ("value", "low", "high")),
    ]
    layers = [
        _one_over_k(every_k, x),
        shown.mark_rule(strokeWidth=2).encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q", color=colour),
        shown.mark_line().encode(x=x, y=up, color=colour),
        shown.mark_point(size=90, filled=True, opacity=1).encode(
            x=x, y=up, color=colour, shape=shape, tooltip=tip
        ),
    ]
    title = alt.TitleParams(text=alt.ExprRef("number"), anchor="start", frame="group", fontSize=12)
    chart = alt.layer(*layers).properties(width="container", height=HEIGHT, title=title)
    return finished(chart.add_params(chosen))


def _measured(points: Sequence[Row]) -> dict[str, list[str]]:
    """For each number the methods it was measured for."""
    found: dict[str, dict[str, None]] = {}
    for point in points:
        found.setdefault(point["name"], {})[point["method"]] = None
    return {name: list(methods) for name, methods in found.items()}


def _one_over_k(every_k: Sequence[int], x: Any) -> Any:
    """Drawn for what 1/k is the expectation of."""
    line = inline([{"k": k, "value": 1 / k} for k in every_k])
    told = line.transform_filter("number == 'exposure' || number == 'linkage' || indexof(number, 'srp') == 0")
    return told.mark_line(strokeDash=[5, 4], color=INK).encode(x=x, y=alt.Y("value:Q", title=None))


def _ordered(points: Sequence[Row]) -> list[str]:
    """Exposure first, then other attacks, then utility."""
    names = dict.fromkeys(
        point["name"]
        for point in sorted(points, key=lambda p: (p["name"] != EXPOSURE, p["kind"] != "attack"))
    )
    return list(names)


def _said(points: Sequence[Row], name: str) -> str:
    risk = any(point["kind"] == "attack" for point in points if point["name"] == name)
    less = risk or name.split(":")[-1] in LESS_IS_BETTER
    return f"{name} ({'risk, ' if risk else ''}{'less' if less else 'more'} is better)"
