"""Bars of counts with their error bars: a table whose middle column is drawn, so that its numbers can be read
aloud, copied and printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crowdlog.number_format import number


@dataclass(frozen=True)
class Bar:
    """One line. Lengths are shares of the frame, from 0 to 100; `low` to `high` is the error bar."""

    text: str
    count: str
    length: float
    low: float
    high: float


@dataclass(frozen=True)
class BarChart:
    """`title` names the chart, `counted` what its numbers are; `note` says what is drawn and what is left
    out.
    """

    title: str
    heading: str
    bars: Sequence[Bar]
    note: str
    has_error: bool
    counted: str = "count"


def bar_chart(
    title: str,
    heading: str,
    texts: Sequence[str],
    counts: Sequence[int],
    *,
    of: int,
    noise: float | None,
    intervals: Sequence[tuple[float, float]] | None = None,
    counted: str = "count",
) -> BarChart:
    """The largest counts of a table of `of` rows. `noise`: the standard deviation of a count's noise;
    `intervals`: where the rows come with intervals of their own.

    The frame ends where the longest error bar ends, so that none is cut off on the right. On the left they
    end at 0: no true count is below it.
    """
    spread = 2 * (noise or 0.0)
    lines = intervals or [(count - spread, count + spread) for count in counts]
    frame = max(1.0, max(counts, default=0), max((high for _low, high in lines), default=0))

    def place(count: float) -> float:
        return round(100 * max(0.0, count) / frame, 2)

    bars = [
        Bar(text, number(count), place(count), place(low), place(high))
        for text, count, (low, high) in zip(texts, counts, lines, strict=True)
    ]
    note = f"The {len(bars)} largest of {number(of)}." if of > len(bars) else f"All {number(of)}."
    if noise:
        note += (
            f" The line shows twice the standard deviation of the noise ({number(float(noise))}) either way; "
            "it leaves out what the bound on each person takes off a count."
        )
    if intervals:
        note += " The line is the interval that holds the truth in 95 of 100 rows."
    return BarChart(title, heading, bars, note, bool(noise or intervals), counted)
