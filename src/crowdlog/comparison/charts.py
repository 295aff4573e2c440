"""The charts of a comparison (Vega-Altair): interactive on a screen, readable on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from crowdlog.comparison.rows import ANSWERED, Row

if TYPE_CHECKING:
    from crowdlog.comparison.comparison import Comparison

# Okabe & Ito 2008: eight colours that colour-blind people tell apart; the shapes say the same on grey paper.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b3a600"]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]


def frontier(comparison: Comparison) -> Any:
    """Utility against the promised ε; what promises nothing stands to the right, at the same height."""
    points = _measured(comparison.points, "utility")
    names = _names(points)
    if not names:
        return None
    chosen = alt.param("measure", value=names[0], bind=alt.binding_select(options=names, name="Utility: "))
    private = [point for point in points if point["epsilon"] is not None]
    open_ = [point for point in points if point["epsilon"] is None]
    y = alt.Y("value:Q", title="utility", scale=alt.Scale(zero=True))
    by_epsilon = alt.X("epsilon:Q", title="ε promised to one person (less is more private)", scale=alt.Scale(type="log", nice=False, padding=20))
    panels = []
    if private:
        panels.append(_panel(private, by_epsilon, y, chosen, points, width=470, line=True))
    if open_:
        by_name = alt.X("series:N", title="no guarantee", axis=alt.Axis(labels=False, ticks=False))
        panels.append(_panel(open_, by_name, y, chosen, points, width=140 if private else 600, line=False))
    return _finished(alt.hconcat(*panels).resolve_scale(y="shared").add_params(chosen))


def against_attacks(comparison: Comparison) -> Any:
    """Utility against the success of an attack. The grey tick is what a guess would reach."""
    points, attacks = _measured(comparison.points, "utility"), _measured(comparison.points, "attack")
    names, threats = _names(points), _names(attacks)
    if not names or not threats:
        return None
    found = {(row["mechanism"], row["name"]): row for row in attacks}
    both = [
        point | {"attack": name, "success": hit["value"], "success_low": hit["low"], "success_high": hit["high"], "chance": hit["chance"]}
        for point in points
        for name in threats
        if (hit := found.get((point["mechanism"], name)))
    ]
    measure = alt.param("measure", value=names[0], bind=alt.binding_select(options=names, name="Utility: "))
    threat = alt.param("attack", value=threats[0], bind=alt.binding_select(options=threats, name="Attack: "))
    base = _chart(both).transform_filter("datum.name == measure && datum.attack == attack")
    x = alt.X("success:Q", title="success of the attack (less is more private)", axis=alt.Axis(format=".2~%", tickCount=6))
    y = alt.Y("value:Q", title="utility", scale=alt.Scale(zero=True))
    colour, shape = _look(points)
    across = base.mark_rule(opacity=0.6).encode(x=alt.X("success_low:Q"), x2="success_high:Q", y=y, color=colour)
    upright = base.mark_rule(opacity=0.6).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    guess = base.mark_tick(color="#777", thickness=2, size=18).encode(x="chance:Q", y=y)
    dots = base.mark_point(size=90, filled=True).encode(x=x, y=y, color=colour, shape=shape, tooltip=_tooltip("success", "chance"))
    return _finished(alt.layer(across, upright, guess, dots).properties(width=620, height=300).add_params(measure, threat))


def kept(comparison: Comparison, by: str) -> Any:
    """What was kept of each band, one map per table: mechanisms down, bands across, the share in each field."""
    rows = [row | {"share": row["kept"] / row["in_log"]} for row in comparison.kept_by() if row["by"] == by and row["in_log"]]
    if not rows:
        return None
    bands = list(dict.fromkeys(row["from"] for row in rows))
    title = {"frequency": "how often it was asked in the log, from …", "number of words": "words", "topic": "topic"}[by]
    x = alt.X("from:N", sort=bands, title=title, axis=alt.Axis(labelAngle=-40 if by == "topic" else 0))
    maps = []
    for table in dict.fromkeys(row["table"] for row in rows):
        base = _chart([row for row in rows if row["table"] == table])
        y = alt.Y("mechanism:N", sort=list(comparison.grid.mechanisms), title=None, axis=alt.Axis(labelLimit=330))
        tip = [
            "mechanism:N",
            "from:N",
            alt.Tooltip("kept:Q", format=",.0f"),
            alt.Tooltip("in_log:Q", format=",.0f"),
            alt.Tooltip("share:Q", format=".2%"),
        ]
        fill = base.mark_rect().encode(
            x=x, y=y, color=alt.Color("share:Q", title="kept", scale=alt.Scale(scheme="blues", domain=[0, 1])), tooltip=tip
        )
        words = base.mark_text(fontSize=9).encode(
            x=x, y=y, text=alt.Text("share:Q", format=".0%"), color=alt.condition("datum.share > 0.55", alt.value("white"), alt.value("black"))
        )
        maps.append((fill + words).properties(title=table, width=max(320, min(800, 48 * len(bands))), height=alt.Step(20)))
    return _finished(alt.vconcat(*maps))


def exposure(comparison: Comparison) -> Any:
    """How many people are exposed how much, one small histogram per mechanism."""
    rows = comparison.exposure()
    if not rows:
        return None
    base = (
        _chart(rows)
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("level:Q", bin="binned", title="share of a person's profile exposed", axis=alt.Axis(format=".0%")),
            x2="end:Q",
            y=alt.Y("people:Q", title="people", scale=alt.Scale(type="symlog")),
            tooltip=[alt.Tooltip("level:Q", format=".0%"), alt.Tooltip("people:Q", format=",.0f")],
        )
    )
    facet = alt.Facet("mechanism:N", title=None, sort=list(comparison.grid.mechanisms), header=alt.Header(labelLimit=280, labelFontSize=10))
    return _finished(base.properties(width=250, height=90).facet(facet, columns=3))


def _measured(points: Sequence[Row], kind: str) -> list[Row]:
    wanted = ("mechanism", "series", "epsilon", "delta", "name", "value", "low", "high", "chance")
    return [{key: point[key] for key in wanted} for point in points if point["kind"] == kind and point["value"] is not None]


def _names(points: Sequence[Row]) -> list[str]:
    """Those that most mechanisms have come first; then shares of impressions and of everything asked, which no selection flatters."""
    counts: dict[str, int] = {}
    for point in points:
        counts[point["name"]] = counts.get(point["name"], 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], not name.endswith(":impressions"), name.endswith(ANSWERED)))


def _chart(rows: Sequence[Row]) -> Any:
    return alt.Chart(alt.InlineData(values=list(rows)))


def _look(points: Sequence[Row]) -> tuple[Any, Any]:
    names = list(dict.fromkeys(point["series"] for point in points))
    legend = alt.Legend(title=None, orient="bottom", columns=2, labelLimit=420, symbolSize=90)
    return (
        alt.Color("series:N", scale=alt.Scale(domain=names, range=_cycled(COLOURS, len(names))), legend=legend),
        alt.Shape("series:N", scale=alt.Scale(domain=names, range=_cycled(SHAPES, len(names))), legend=legend),
    )


def _cycled(values: Sequence[str], n: int) -> list[str]:
    return [values[i % len(values)] for i in range(n)]


def _panel(points: list[Row], x: Any, y: Any, chosen: Any, everybody: Sequence[Row], *, width: int, line: bool) -> Any:
    """Points with their intervals; those that differ in ε alone are joined."""
    base = _chart(points).transform_filter(f"datum.name == {chosen.name}")
    colour, shape = _look(everybody)
    layers = [base.mark_rule(opacity=0.6).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)]
    if line:
        layers.append(base.mark_line(opacity=0.5).encode(x=x, y=y, color=colour, detail="series:N"))
    layers.append(base.mark_point(size=90, filled=True).encode(x=x, y=y, color=colour, shape=shape, tooltip=_tooltip("epsilon", "delta")))
    return alt.layer(*layers).properties(width=width, height=300)


def _tooltip(*more: str) -> list[Any]:
    numbers = [alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("value", "low", "high", *more)]
    return ["mechanism:N", "name:N", *numbers]


def _finished(chart: Any) -> Any:
    return chart.configure_view(strokeOpacity=0.3).configure(background="white", font="system-ui, sans-serif")
