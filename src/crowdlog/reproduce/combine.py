"""One result of several runs with different noise: statements by their votes, numbers by their means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from statistics import fmean
from typing import Any

from crowdlog.reproduce.study import Cell, Claim, Panel, Result


def combined(results: Sequence[Result]) -> Result:
    """Results of the same study, one for each seed of the noise."""
    first = results[0]
    return Result(
        [_panel(panels) for panels in zip(*(result.panels for result in results), strict=True)],
        [_claim(claims) for claims in zip(*(result.claims for result in results), strict=True)],
        first.setup,
    )


def _claim(claims: Sequence[Claim]) -> Claim:
    """The reason is that of the first run in which it does not hold."""
    votes = tuple(claim.holds for claim in claims)
    against = next((claim for claim in claims if not claim.holds), claims[0])
    return Claim(against.text, all(votes), against.why, votes)


def _panel(panels: Sequence[Panel]) -> Panel:
    """Tables of one shape are averaged cell by cell; where rows depend on the noise, the first run's stay."""
    first = panels[0]
    if len({len(panel.rows) for panel in panels}) > 1:
        return first
    lines = [
        [_cell(cells) for cells in zip(*rows, strict=True)]
        for rows in zip(*(panel.rows for panel in panels), strict=True)
    ]
    return replace(first, rows=lines, chart=_chart([panel.chart for panel in panels]))


def _cell(cells: Sequence[Cell]) -> Cell:
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    if len(set(cells)) == 1 or not numbers:
        return cells[0]
    return fmean(numbers)


def _chart(charts: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """The first drawing that there is, its points at the means of all."""
    drawn = [chart for chart in charts if chart is not None]
    if len(drawn) < 2:
        return drawn[0] if drawn else None
    heights: dict[tuple[Any, ...], list[float]] = {}
    for chart in drawn:
        # a point that several layers draw counts once for each chart
        for place, height in {_place(point): point["y"] for point in _points(chart)}.items():
            heights.setdefault(place, []).append(height)
    result = deepcopy(dict(drawn[0]))
    for point in _points(result):
        point["y"] = fmean(heights[_place(point)])
    return result


def _place(point: Mapping[str, Any]) -> tuple[Any, ...]:
    return point["x"], point["series"], point["who"]


def _points(spec: Any) -> Iterator[dict[str, Any]]:
    """The points of a drawing, wherever its layers keep them."""
    if isinstance(spec, dict):
        if {"x", "y", "series", "who"} <= spec.keys() and not isinstance(spec["x"], dict):
            yield spec
        for part in spec.values():
            yield from _points(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from _points(part)
