"""Maps of what was kept, and histograms of exposure (Vega-Altair)."""

from __future__ import annotations

from typing import Any

import altair as alt

from crowdlog.comparison.charts import inline
from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.rows import Row, series
from crowdlog.pages.vega import PALETTE, finished

WIDTH = 800  # of a map at most
# tells a thousandth from a hundredth and from nothing
SHARES = alt.Scale(scheme="blues", domain=[0, 1], type="symlog", constant=0.001)


def kept(comparison: Comparison, by: str) -> Any:
    """What was kept of each band, one map per table: mechanisms down, bands across, the share in a field."""
    rows = [
        row | {"share": row["kept"] / row["in_log"]}
        for row in comparison.kept_by()
        if row["by"] == by and row["in_log"]
    ]
    if not rows:
        return None
    bands = list(dict.fromkeys(row["from"] for row in rows))
    title = {
        "frequency": "how often it was asked in the log, from …",
        "number of words": "words",
        "topic": "topic",
    }[by]
    x = alt.X("from:N", sort=bands, title=title, axis=alt.Axis(labelAngle=-40 if by == "topic" else 0))
    maps = []
    for table in dict.fromkeys(row["table"] for row in rows):
        base = inline([row for row in rows if row["table"] == table])
        y = alt.Y("mechanism:N", sort=comparison.ordered(), title=None, axis=alt.Axis(labelLimit=330))
        tip = [
            "mechanism:N",
            "from:N",
            alt.Tooltip("kept:Q", format=",.0f"),
            alt.Tooltip("in_log:Q", format=",.0f"),
            alt.Tooltip("share:Q", format=".2%"),
        ]
        fill = base.mark_rect().encode(
            x=x, y=y, color=alt.Color("share:Q", legend=None, scale=SHARES), tooltip=tip
        )
        words = (
            base.transform_calculate(
                said="datum.share == 0 ? '·' : datum.share < 0.001 ? '<0.1' : format(100 * datum.share, "
                "datum.share < 0.1 ? '.2~g' : '.0f')"
            )
            .mark_text(fontSize=9 if len(bands) * 48 <= WIDTH else 8)
            .encode(
                x=x,
                y=y,
                text="said:N",
                color=alt.condition("datum.share > 0.1", alt.value("white"), alt.value("black")),
            )
        )
        maps.append(
            (fill + words).properties(
                title=table, width=min(WIDTH, max(320, 48 * len(bands))), height=alt.Step(20)
            )
        )
    return finished(alt.vconcat(*maps))


def exposure_histograms(comparison: Comparison) -> Any:
    """How many people are exposed how much: a small histogram for each mechanism, at its largest ε."""
    last = dict.fromkeys(comparison.ordered()[::-1])  # by ε falling: the first of each series has its largest
    most: dict[str, str] = {}
    for mechanism in last:
        most.setdefault(series(mechanism), mechanism)
    rows: list[Row] = [row for row in comparison.exposure() if row["mechanism"] in most.values()]
    if not rows:
        return None
    base = (
        inline(rows)
        .mark_bar(color=PALETTE[0])
        .encode(
            x=alt.X(
                "level:Q",
                bin="binned",
                title="share of a person's profile exposed",
                axis=alt.Axis(format=".0%"),
            ),
            x2="end:Q",
            y=alt.Y("people:Q", title="people", scale=alt.Scale(type="symlog")),
            tooltip=[alt.Tooltip("level:Q", format=".0%"), alt.Tooltip("people:Q", format=",.0f")],
        )
    )
    facet = alt.Facet(
        "mechanism:N",
        title=None,
        sort=comparison.ordered(),
        header=alt.Header(labelLimit=280, labelFontSize=10),
    )
    return finished(base.properties(width=250, height=70).facet(facet, columns=3))
