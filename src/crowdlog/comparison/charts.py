"""The frontier of a comparison, and the same against an attack (Vega-Altair): interactive on a screen,
readable on paper.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt

from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.measure_names import is_share, readable
from crowdlog.comparison.rows import ANSWERED, Row
from crowdlog.pages.vega import INK, colours, finished, shapes

# what promises nothing is left out at first when it is so many times as high as the best that promises
# something
SQUEEZED = 2
PROMISED = "(unpromised || isValid(datum.epsilon))"
HEIGHT = 330


def frontier(comparison: Comparison) -> Any:
    """Utility against the promised ε.

    What promises nothing has no ε: a dashed line across, which a switch shows.
    """
    points = _measured(comparison.points, "utility")
    names = _names(points)
    if not names:
        return None
    private = [point for point in points if point["epsilon"] is not None]
    others = [point for point in points if point["epsilon"] is None]
    measure, logarithmic = (
        _choice("measure", names, "Measure: "),
        _switch("logarithmic", False, "logarithmic scale "),
    )
    if not private:
        return finished(_by_name(points, measure, names))
    switch = _switch(
        "unpromised",
        bool(others) and _comparable(private, others, names[0]),
        "also what promises nothing (dashed) ",
    )
    alone, faint = _picked()
    across = (
        alt.when("isValid(datum.epsilon)")
        .then(alt.value(0))
        .when(alone)
        .then(alt.value(0.95))
        .otherwise(alt.value(0.1))
    )
    base, y = _scaled(inline(points), f"datum.name == measure && {PROMISED}"), _y("shown", names)
    x = alt.X(
        "epsilon:Q",
        title=["ε promised to one person", "(less is more private)"],
        scale=alt.Scale(type="log", nice=False, padding=25),
    )
    colour, shape = _look(points, points)
    layers = [
        base.mark_rule(strokeWidth=2).encode(
            x=x, y=_y("shown_low", names), y2="shown_high", color=colour, opacity=faint
        ),
        base.mark_line().encode(x=x, y=y, color=colour, detail="series:N", opacity=faint),
        base.mark_rule(strokeDash=[6, 4], strokeWidth=2).encode(y=y, color=colour, opacity=across),
        base.mark_text(align="right", dy=-7, dx=-4).encode(
            y=y, x=alt.value("width"), text="mechanism:N", color=colour, opacity=across
        ),
        base.mark_point(size=110, filled=True).encode(
            x=x, y=y, color=colour, shape=shape, opacity=faint, tooltip=_tooltip("epsilon", "delta")
        ),
    ]
    params = [measure, logarithmic, *([switch] if others else [alt.param("unpromised", value=False)]), alone]
    return finished(
        alt.layer(*layers)
        .properties(width="container", height=HEIGHT, title=_measure_name(names))
        .add_params(*params)
    )


def _by_name(points: Sequence[Row], measure: Any, names: Sequence[str]) -> Any:
    """Nothing has an ε: mechanisms side by side."""
    base, (colour, shape) = (
        inline(points).transform_filter("datum.name == measure"),
        _look(points, points, "true", "false"),
    )
    x = alt.X("mechanism:N", title="no ε", sort=None, axis=alt.Axis(labelAngle=-30, labelLimit=200))
    lines = base.mark_rule().encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q", color=colour)
    dots = base.mark_point(size=110, filled=True).encode(
        x=x, y=alt.Y("value:Q", title=None), color=colour, shape=shape, tooltip=_tooltip()
    )
    return (
        alt.layer(lines, dots)
        .properties(width="container", height=HEIGHT, title=_measure_name(names))
        .add_params(measure)
    )


def against_attacks(comparison: Comparison) -> Any:
    """Utility against the success of an attack. The grey tick is what a guess would reach."""
    points, attacks = _measured(comparison.points, "utility"), _measured(comparison.points, "attack")
    names, threats = _names(points), _telling(attacks)
    if not names or not threats:
        return None
    found = {(row["mechanism"], row["name"]): row for row in attacks}
    both = [
        point
        | {
            "attack": name,
            "success": hit["value"],
            "success_low": hit["low"],
            "success_high": hit["high"],
            "chance": hit["chance"],
        }
        for point in points
        for name in threats
        if (hit := found.get((point["mechanism"], name)))
    ]
    private = [row for row in both if row["epsilon"] is not None and row["name"] == names[0]]
    others = [row for row in both if row["epsilon"] is None and row["name"] == names[0]]
    shown = _switch(
        "unpromised",
        not private or (bool(others) and _comparable(private, others, names[0])),
        "also what promises nothing ",
    )
    params = [
        _choice("measure", names, "Measure: "),
        _choice("attack", threats, "Attack: "),
        _switch("logarithmic", False, "logarithmic scale "),
    ]
    base = _scaled(inline(both), "datum.name == measure && datum.attack == attack && " + PROMISED)
    percent = alt.Axis(labelExpr="format(100 * datum.value, '.3~g') + ' %'", tickCount=6)
    x = alt.X("success:Q", title=["success of the attack", "(less is more private)"], axis=percent)
    (alone, faint), (colour, shape), y = _picked(), _look(points, both), _y("shown", names)
    layers = [
        base.mark_rule().encode(
            x=alt.X("success_low:Q"), x2="success_high:Q", y=y, color=colour, opacity=faint
        ),
        base.mark_rule().encode(x=x, y=_y("shown_low", names), y2="shown_high", color=colour, opacity=faint),
        base.mark_tick(color=INK, thickness=2, size=18).encode(x="chance:Q", y=y),
        base.mark_point(size=110, filled=True).encode(
            x=x,
            y=y,
            color=colour,
            shape=shape,
            opacity=faint,
            tooltip=_tooltip("epsilon", "success", "chance"),
        ),
    ]
    return finished(
        alt.layer(*layers)
        .properties(width="container", height=HEIGHT, title=_measure_name(names))
        .add_params(*params, shown, alone)
    )


def _measure_name(names: Sequence[str]) -> Any:
    """Above the axis, because an axis title cannot follow a choice."""
    said = json.dumps({name: readable(name) for name in names}, ensure_ascii=False)
    return alt.TitleParams(text=alt.ExprRef(f"{said}[measure]"), anchor="start", frame="group", fontSize=12)


def _choice(name: str, options: Sequence[str], label: str) -> Any:
    return alt.param(
        name,
        value=options[0],
        bind=alt.binding_select(
            options=list(options), labels=[readable(option) for option in options], name=label
        ),
    )


def _switch(name: str, on: bool, label: str) -> Any:
    return alt.param(name, value=on, bind=alt.binding_checkbox(name=label))


def _picked() -> tuple[Any, Any]:
    """A click on a name of the legend leaves the others faint; a double click brings them back."""
    alone = alt.selection_point(fields=["series"], bind="legend")
    return alone, alt.when(alone).then(alt.value(0.95)).otherwise(alt.value(0.1))


def _comparable(private: Sequence[Row], others: Sequence[Row], name: str) -> bool:
    """Whether both can be read on one scale."""
    best, most = (
        max((row["value"] for row in rows if row["name"] == name), default=0.0) for rows in (private, others)
    )
    return bool(most <= SQUEEZED * best)


def _scaled(chart: Any, condition: str) -> Any:
    """The rows that are to be seen, their values as they are drawn.

    The kind of a Vega scale cannot be switched, so logarithms are computed here.
    """
    chosen = chart.transform_filter(f"({condition}) && (!logarithmic || datum.value > 0)")
    return chosen.transform_calculate(
        shown="logarithmic ? log(datum.value) / LN10 : datum.value",
        # an end at 0 would lie infinitely deep
        shown_low="logarithmic ? log(max(datum.low, datum.value / 10)) / LN10 : datum.low",
        shown_high="logarithmic ? log(datum.high) / LN10 : datum.high",
    )


def _y(name: str, names: Sequence[str]) -> Any:
    """Shares have an axis in per cent."""
    value = "(logarithmic ? pow(10, datum.value) : datum.value)"
    shares = json.dumps([name for name in names if is_share(name)])
    plain = f"format({value}, logarithmic ? '.2~g' : '~g')"
    labels = f"indexof({shares}, measure) >= 0 ? format(100 * {value}, '.3~g') + ' %' : {plain}"
    scale = alt.Scale(zero=alt.ExprRef("!logarithmic"))
    return alt.Y(f"{name}:Q", title=None, axis=alt.Axis(labelExpr=labels, tickCount=8), scale=scale)


def _telling(attacks: Sequence[Row]) -> list[str]:
    """Attacks whose success differs between the mechanisms that promise something come first: they help to
    choose.
    """
    spread = {}
    for name in dict.fromkeys(row["name"] for row in attacks):
        values = [row["value"] for row in attacks if row["name"] == name and row["epsilon"] is not None]
        spread[name] = max(values, default=0.0) - min(values, default=0.0)
    return sorted(spread, key=lambda name: -spread[name])


def _measured(points: Sequence[Row], kind: str) -> list[Row]:
    wanted = ("mechanism", "series", "epsilon", "delta", "name", "value", "low", "high", "chance")
    return [
        {key: point[key] for key in wanted} | {"said": readable(point["name"])}
        for point in points
        if point["kind"] == kind and point["value"] is not None
    ]


def _names(points: Sequence[Row]) -> list[str]:
    """Those that most mechanisms have come first; then shares of impressions and of everything asked, which
    no selection flatters.
    """
    counts: dict[str, int] = {}
    for point in points:
        counts[point["name"]] = counts.get(point["name"], 0) + 1
    return sorted(
        counts, key=lambda name: (-counts[name], not name.endswith(":impressions"), name.endswith(ANSWERED))
    )


def inline(rows: Sequence[Row]) -> Any:
    return alt.Chart(alt.InlineData(values=list(rows)))


def _drawn(rows: Sequence[Row], unpromised: str, logarithmic: str) -> Any:
    """The series that the choices of the moment draw: a legend must not name others.

    What promises nothing may be left out, and what is 0 has no logarithm.
    """
    chosen = "measure + ' ' + attack" if "attack" in rows[0] else "measure"
    series: dict[str, list[list[str]]] = {}
    for row in rows:
        key = f"{row['name']} {row['attack']}" if "attack" in row else row["name"]
        of_choice = series.setdefault(key, [[], [], [], []])
        for place, names in enumerate(of_choice):
            with_unpromised, with_zeros = place % 2 == 1, place < 2
            seen = (with_unpromised or row["epsilon"] is not None) and (with_zeros or row["value"] > 0)
            if seen and row["series"] not in names:
                names.append(row["series"])
    told = json.dumps(series, ensure_ascii=False)
    which = f"({logarithmic} ? 2 : 0) + ({unpromised} ? 1 : 0)"
    return alt.ExprRef(f"({told}[{chosen}] || [[], [], [], []])[{which}]")


def _look(
    points: Sequence[Row],
    rows: Sequence[Row],
    unpromised: str = "unpromised",
    logarithmic: str = "logarithmic",
) -> tuple[Any, Any]:
    """Colour and shape of each series, the same whatever is chosen; a legend of those that are drawn."""
    names = list(dict.fromkeys(point["series"] for point in points))
    legend = alt.Legend(
        values=_drawn(rows, unpromised, logarithmic),
        title=None,
        orient="bottom",
        columns=alt.ExprRef("width < 500 ? 1 : 2"),
        labelLimit=420,
        symbolSize=110,
        symbolOpacity=1,
    )
    return (
        alt.Color("series:N", scale=alt.Scale(domain=names, range=colours(len(names))), legend=legend),
        alt.Shape("series:N", scale=alt.Scale(domain=names, range=shapes(len(names))), legend=legend),
    )


def _tooltip(*more: str) -> list[Any]:
    numbers = [alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("value", "low", "high", *more)]
    return ["mechanism:N", alt.Tooltip("said:N", title="measure"), *numbers]
