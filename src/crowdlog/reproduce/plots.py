"""The two kinds of plot that all studies use: curves and bars, printed values and ours in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

# Okabe & Ito 2008: colours that colour-blind people tell apart.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b3a600"]
OURS, PRINTED = "ours", "printed"


@dataclass(frozen=True)
class Point:
    """One value of a plot. `who` is OURS or PRINTED."""

    x: float | str
    y: float | None
    series: str
    who: str = OURS


def curves(points: Sequence[Point], *, x: str, y: str, log_x: bool = False, log_y: bool = False, format_y: str = ".3~g") -> dict[str, Any]:
    """Lines over numbers, ours drawn through with dots, printed ones dashed with hollow squares. `x` and `y` are the titles of the axes.

    What is not above 0 has no place on a logarithmic axis and is left out there.
    """
    import altair as alt

    shown = [point for point in points if point.y is not None and (point.y > 0 or not log_y)]
    base = _base(shown)
    across = alt.X("x:Q", title=x, scale=alt.Scale(type="log" if log_x else "linear", nice=not log_x))
    up = alt.Y("y:Q", title=y, scale=alt.Scale(type="log" if log_y else "linear"), axis=alt.Axis(format=format_y))
    colour = _colour(shown)
    dash = alt.StrokeDash("who:N", title=None, scale=alt.Scale(domain=[OURS, PRINTED], range=[[1, 0], [5, 4]]))
    shape = alt.Shape("who:N", title=None, scale=alt.Scale(domain=[OURS, PRINTED], range=["circle", "square"]))
    fill = alt.FillOpacity("who:N", legend=None, scale=alt.Scale(domain=[OURS, PRINTED], range=[1, 0]))
    tip = ["series:N", "who:N", alt.Tooltip("x:Q", title=x, format=".4~g"), alt.Tooltip("y:Q", title=y, format=".4~g")]
    line = base.mark_line(strokeWidth=1.5).encode(x=across, y=up, color=colour, strokeDash=dash)
    dots = base.mark_point(size=55).encode(x=across, y=up, color=colour, fill=_fill(shown), shape=shape, fillOpacity=fill, tooltip=tip)
    return _finished(alt.layer(line, dots).properties(width=560, height=280))


def bars(points: Sequence[Point], *, x: str, y: str, log_y: bool = False, format_y: str = ".3~g") -> dict[str, Any]:
    """For each x and series a bar of ours beside one of the printed value, with the number above it."""
    import altair as alt

    shown = [point for point in points if point.y is not None and (point.y > 0 or not log_y)]
    series = list(dict.fromkeys(point.series for point in points))
    base = _base(shown)
    scale = alt.Scale(type="log" if log_y else "linear")
    up = alt.Y("y:Q", title=y, scale=scale, axis=alt.Axis(format=format_y))
    across = alt.X("x:N", title=x, sort=list(dict.fromkeys(str(point.x) for point in points)), axis=alt.Axis(labelAngle=0, labelLimit=120))
    offset = alt.XOffset("who:N", sort=[PRINTED, OURS])
    colour = alt.Color("who:N", title=None, scale=alt.Scale(domain=[PRINTED, OURS], range=[COLOURS[4], COLOURS[0]]))
    tip = ["series:N", "x:N", "who:N", alt.Tooltip("y:Q", title=y, format=".4~g")]
    rect = base.mark_bar().encode(x=across, y=up, xOffset=offset, color=colour, tooltip=tip)
    text = base.mark_text(dy=-6, fontSize=9).encode(x=across, y=up, xOffset=offset, text=alt.Text("y:Q", format=format_y))
    width = max(120, min(560, 620 // max(1, len(series))))
    layered = alt.layer(rect, text, data=base.data).properties(width=width, height=220)
    return _finished(layered.facet(alt.Facet("series:N", title=None, sort=series), columns=len(series) if len(series) <= 4 else 3))


def _base(points: Sequence[Point]) -> Any:
    import altair as alt

    return alt.Chart(alt.InlineData(values=[asdict(point) for point in points]))


def _range(points: Sequence[Point]) -> tuple[list[str], list[str]]:
    names = list(dict.fromkeys(point.series for point in points))
    return names, [COLOURS[i % len(COLOURS)] for i in range(len(names))]


def _colour(points: Sequence[Point]) -> Any:
    import altair as alt

    names, colours = _range(points)
    return alt.Color("series:N", title=None, scale=alt.Scale(domain=names, range=colours), legend=alt.Legend(labelLimit=300))


def _fill(points: Sequence[Point]) -> Any:
    import altair as alt

    names, colours = _range(points)
    return alt.Fill("series:N", legend=None, scale=alt.Scale(domain=names, range=colours))


def _finished(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.configure_view(strokeOpacity=0.3).configure(background="white", font="system-ui, sans-serif").to_dict()
    return spec
