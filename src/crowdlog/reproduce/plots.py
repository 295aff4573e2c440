"""The two kinds of plot that all studies use: curves and bars, printed values and ours in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt

from crowdlog.pages.vega import INK, PALETTE, colours, finished

OURS, PRINTED = "ours", "printed"
Spec = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """One value of a plot. `who` is OURS or PRINTED."""

    x: float | str
    y: float | None
    series: str
    who: str = OURS


def curves(
    points: Sequence[Point],
    *,
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    format_y: str = ".3~g",
) -> Spec | None:
    """Lines over numbers: ours through filled dots, printed ones dashed through open squares.

    `x` and `y` are the titles of the axes.

    What is not above 0 has no place on a logarithmic axis and is left out there; None when nothing is left.
    """
    shown = _shown(points, log_y)
    if not shown:
        return None
    across = alt.X(
        "x:Q", title=x, scale=alt.Scale(type="log" if log_x else "linear", nice=not log_x, padding=12)
    )
    up = alt.Y(
        "y:Q", title=y, scale=alt.Scale(type="log" if log_y else "linear"), axis=alt.Axis(format=format_y)
    )
    colour, shape = _colour(points), _shape(points)
    tip = [
        "series:N",
        "who:N",
        alt.Tooltip("x:Q", title=x, format=".4~g"),
        alt.Tooltip("y:Q", title=y, format=".4~g"),
    ]
    layers = []
    for who in sorted({point.who for point in shown}):
        base = _base([point for point in shown if point.who == who])
        dashes = [1, 0] if who == OURS else [5, 4]
        layers.append(base.mark_line(strokeWidth=1.5, strokeDash=dashes).encode(x=across, y=up, color=colour))
        layers.append(
            base.mark_point(size=60, filled=who == OURS, opacity=1).encode(
                x=across, y=up, color=colour, shape=shape, tooltip=tip
            )
        )
    return _finished(alt.layer(*layers).properties(width=560, height=280))


def bars(
    points: Sequence[Point], *, x: str, y: str, log_y: bool = False, format_y: str = ".3~g"
) -> Spec | None:
    """For each x and series a bar of ours beside one of the printed value, with the number above it.

    On a logarithmic axis, dots: bars begin at 0.
    """
    shown = _shown(points, log_y)
    if not shown:
        return None
    series = list(dict.fromkeys(point.series for point in points))
    base = _base(shown)
    up = alt.Y(
        "y:Q", title=y, scale=alt.Scale(type="log" if log_y else "linear"), axis=alt.Axis(format=format_y)
    )
    across = alt.X(
        "x:N",
        title=x,
        sort=list(dict.fromkeys(str(point.x) for point in points)),
        axis=alt.Axis(labelAngle=0, labelLimit=140),
    )
    offset = alt.XOffset("who:N", sort=[PRINTED, OURS])
    colour = alt.Color(
        "who:N", title=None, scale=alt.Scale(domain=[PRINTED, OURS], range=[PALETTE[4], PALETTE[0]])
    )
    tip = ["series:N", "x:N", "who:N", alt.Tooltip("y:Q", title=y, format=".4~g")]
    mark = base.mark_point(size=60, filled=True, opacity=1) if log_y else base.mark_bar()
    text = base.mark_text(dy=-8, fontSize=9, color=INK).encode(
        x=across, y=up, xOffset=offset, text=alt.Text("y:Q", format=format_y)
    )
    layered = alt.layer(
        mark.encode(x=across, y=up, xOffset=offset, color=colour, tooltip=tip), text, data=base.data
    )
    sized = layered.properties(width=max(150, min(560, 620 // len(series))), height=220)
    return _finished(
        sized.facet(alt.Facet("series:N", title=None, sort=series), columns=4 if len(series) <= 4 else 3)
    )


def _shown(points: Sequence[Point], log_y: bool) -> list[Point]:
    return [point for point in points if point.y is not None and (point.y > 0 or not log_y)]


def _base(points: Sequence[Point]) -> Any:
    return alt.Chart(alt.InlineData(values=[asdict(point) for point in points]))


def _colour(points: Sequence[Point]) -> Any:
    """A colour for each series; a legend where there are several."""
    names = list(dict.fromkeys(point.series for point in points))
    scale = alt.Scale(domain=names, range=colours(len(names)))
    return alt.Color(
        "series:N", scale=scale, legend=alt.Legend(title=None, labelLimit=300) if len(names) > 1 else None
    )


def _shape(points: Sequence[Point]) -> Any:
    """A dot or a square; a legend where something is printed."""
    legend = alt.Legend(title=None) if any(point.who == PRINTED for point in points) else None
    return alt.Shape(
        "who:N", scale=alt.Scale(domain=[OURS, PRINTED], range=["circle", "square"]), legend=legend
    )


def _finished(chart: Any) -> Spec:
    spec: Spec = finished(chart).to_dict()
    return spec
