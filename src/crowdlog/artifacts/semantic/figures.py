"""Figures as SVG: curves against k, and a query's neighbourhood with its cores.

A neighbourhood shows queries: for the owner's eyes.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crowdlog.artifacts.semantic.measures import KS
from crowdlog.types import Floats

_CENTRE, _RADIUS = 260, 225


def curves_against_k(lines: Mapping[str, Floats], title: str, ks: Sequence[int] = KS) -> str:
    """One line per name against k on a logarithmic axis."""
    import vl_convert

    rows = [
        {"k": k, "value": float(value), "method": name}
        for name, values in lines.items()
        for k, value in zip(ks, values, strict=True)
    ]
    method = {"field": "method", "type": "nominal", "title": None, "sort": list(lines)}
    chart = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 420,
        "height": 280,
        "data": {"values": rows},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "k", "type": "quantitative", "scale": {"type": "log"}},
            "y": {"field": "value", "type": "quantitative", "title": title, "scale": {"domain": [0, 1]}},
            "color": method,
            "strokeDash": {**method, "legend": None},
        },
    }
    return str(vl_convert.vegalite_to_svg(chart))


@dataclass(frozen=True, repr=False)
class Node:
    """A query of a neighbourhood."""

    text: str
    users: int
    degree: int


def draw_neighbourhood(nodes: Sequence[Node], edges: Sequence[tuple[int, int]]) -> str:
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
    parts = [
        f'<line x1="{places[a][0]:.0f}" y1="{places[a][1]:.0f}" x2="{places[b][0]:.0f}" y2="{places[b][1]:.0f}"/>'
        for a, b in edges
    ]
    for i, (node, (x, y)) in enumerate(zip(nodes, places, strict=True), 1):
        tone = 95 - 60 * (len(degrees) - degrees.index(node.degree)) // len(degrees)
        ink = "#fff" if tone < 60 else "#000"
        parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="12" fill="hsl(0 0% {tone}%)"/>')
        parts.append(f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="{ink}">{i}</text>')
        people = f"{node.users} user{'s' if node.users != 1 else ''}"
        parts.append(
            f'<text x="{2 * _CENTRE + 10}" y="{18 * i}">{i}) {html.escape(node.text)} · {people} · degree {node.degree}</text>'
        )
    height = max(2 * _CENTRE, 18 * len(nodes) + 20)
    style = "text{font:12px sans-serif}line{stroke:#bbb}circle{stroke:#333}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {height}"><style>{style}</style>{"".join(parts)}</svg>\n'
