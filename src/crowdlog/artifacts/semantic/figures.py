"""Figures as SVG: curves against k, and a query's neighbourhood with its cores.

A neighbourhood shows queries: for the owner's eyes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crowdlog.artifacts.semantic.measures import KS
from crowdlog.pages.render import render
from crowdlog.pages.vega import colours
from crowdlog.types import Floats

# of the rings, in units of the picture
_CENTRE = 260
_RADIUS = 225
_LINE = 18  # height of a line of the list


def curves_against_k(lines: Mapping[str, Floats], title: str, ks: Sequence[int] = KS) -> str:
    """One line per name against k on a logarithmic axis."""
    import vl_convert

    rows = [
        {"k": k, "value": float(value), "method": name}
        for name, values in lines.items()
        for k, value in zip(ks, values, strict=True)
    ]
    method = {"field": "method", "type": "nominal", "title": None, "sort": list(lines)}
    colour = {**method, "scale": {"domain": list(lines), "range": colours(len(lines))}}
    chart = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 420,
        "height": 280,
        "data": {"values": rows},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "k", "type": "quantitative", "scale": {"type": "log"}},
            "y": {"field": "value", "type": "quantitative", "title": title, "scale": {"domain": [0, 1]}},
            "color": colour,
            "strokeDash": {**method, "legend": None},
        },
    }
    return str(vl_convert.vegalite_to_svg(chart))


@dataclass(frozen=True, repr=False)
class NeighbourhoodQuery:
    """A query of a neighbourhood."""

    text: str
    users: int
    degree: int


def draw_neighbourhood(nodes: Sequence[NeighbourhoodQuery], edges: Sequence[tuple[int, int]]) -> str:
    """The paper's Figure 4: rings of equal core degree, the highest and darkest innermost; the list of
    queries beside them.
    """
    degrees = sorted({node.degree for node in nodes}, reverse=True)
    places: list[tuple[float, float]] = [(0, 0)] * len(nodes)
    for ring, degree in enumerate(degrees):
        members = [i for i, node in enumerate(nodes) if node.degree == degree]
        radius = _RADIUS * (ring + 1) / len(degrees) if len(members) > 1 or ring else 0.0
        for n, i in enumerate(members):
            angle = 2 * math.pi * n / len(members) + ring
            places[i] = (_CENTRE + radius * math.cos(angle), _CENTRE + radius * math.sin(angle))
    circles = []
    for node, (x, y) in zip(nodes, places, strict=True):
        tone = 95 - 60 * (len(degrees) - degrees.index(node.degree)) // len(degrees)
        circles.append({"node": node, "x": x, "y": y, "tone": tone})
    return render(
        "neighbourhood.svg",
        circles=circles,
        lines=[(*places[a], *places[b]) for a, b in edges],
        left=2 * _CENTRE + 10,
        line_height=_LINE,
        height=max(2 * _CENTRE, _LINE * len(nodes) + 20),
    )
