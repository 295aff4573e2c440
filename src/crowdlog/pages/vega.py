"""Vega-Lite charts of a page: one look, colours that differ, and the drawing library inside the page."""

from __future__ import annotations

import colorsys
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup

from crowdlog.pages.table import PageTable

# After Okabe & Ito 2008, which colour-blind people tell apart, in tones that stand out against white and
# against the dark page alike (3 : 1 at least, WCAG 2.2 §1.4.11).
PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#c46a9b", "#b07a00",
    "#7a7a7a", "#8a5cc4", "#7f8500", "#2b93c9", "#c43c3c",
)  # fmt: skip
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
INK = PALETTE[5]  # of numbers inside a chart: readable on either page
_GOLDEN = 0.61803398875  # steps of the golden ratio spread any number of hues evenly
# `ast`: expressions are interpreted, so that no rule for scripts need allow code made of text (eval).
_EMBED = '{renderer:"svg",ast:true,actions:{export:true,source:false,compiled:false,editor:false}}'
# The menu that Vega puts beside a chart is three dots, which a screen reader cannot say.
_NAME_MENU = (
    "function nameMenu(place) { const menu = document.querySelector(place + ' summary'); "
    "if (menu) menu.setAttribute('aria-label', 'Save this chart'); }\n"
)


@dataclass(frozen=True)
class PageChart:
    """A chart of a page.

    `id` is its place in the page, `title` its name, `spec` its Vega-Lite specification; `table` has its
    numbers, for whoever cannot see it.
    """

    id: str
    title: str
    spec: Mapping[str, Any]
    table: PageTable | None = None
    note: str = ""


def colours(n: int) -> list[str]:
    """So many colours, none twice."""
    made = list(PALETTE[:n])
    hue = 0.0
    while len(made) < n:
        hue = (hue + _GOLDEN) % 1
        red, green, blue = colorsys.hls_to_rgb(hue, 0.45, 0.6)
        colour = f"#{int(255 * red):02x}{int(255 * green):02x}{int(255 * blue):02x}"
        if colour not in made:
            made.append(colour)
    return made


def shapes(n: int) -> list[str]:
    """So many shapes; where there are more series than shapes, colours alone tell them apart."""
    return [SHAPES[i % len(SHAPES)] for i in range(n)]


def finished(chart: Any) -> Any:
    """An Altair chart with the look of all charts. The page behind it shows through, light or dark."""
    return chart.configure_view(strokeOpacity=0.3).configure(
        background="transparent",
        padding={"top": 18, "left": 5, "right": 5, "bottom": 5},
        font="system-ui, sans-serif",
    )


def scripts(drawings: Sequence[PageChart]) -> list[Markup]:
    """What draws them: the library, then one call for each. Empty where nothing is drawn."""
    if not drawings:
        return []
    calls = []
    for drawing in drawings:
        spec = {**drawing.spec, "description": drawing.title}  # the name that a screen reader says
        place = script_text("#" + drawing.id)
        calls.append(f"vegaEmbed({place},{script_text(spec)},{_EMBED}).then(() => nameMenu({place}));")
    # `closed` keeps both inside their script element
    return [Markup(_library()), Markup(_NAME_MENU + "".join(calls))]  # noqa: S704


def script_text(data: Any) -> str:
    """Data as JavaScript."""
    return closed(json.dumps(data, ensure_ascii=False))


def closed(script: str) -> str:
    """Nothing inside a script may end it or begin a comment of the page."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


@cache
def _library() -> str:
    import vl_convert

    # a browser reads line ends as \n, and the hash is of what it reads
    return (
        closed(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
