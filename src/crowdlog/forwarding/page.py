"""A simulation as a page that needs no network: its figures, and the seed's tables with ours beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crowdlog import __version__
from crowdlog.pages.render import render
from crowdlog.pages.table import table_of
from crowdlog.pages.vega import PageChart, scripts
from crowdlog.reproduce.study import Claim, Panel


def page(
    figures: Mapping[str, Any],
    spread: Sequence[Panel],
    panels: Sequence[Panel],
    claims: Sequence[Claim],
    command: str,
    *,
    of_a_log: bool,
) -> str:
    """Return the page as text: one simulation, how its hops and loads are spread, the seed's tables."""
    shown = []
    for number, panel in enumerate(panels):
        drawing = None
        if panel.chart is not None:
            drawing = PageChart(f"panel-{number}", panel.title, panel.chart, note=panel.note)
        shown.append((table_of(panel.title, panel.columns, panel.rows), drawing, panel.note))
    drawings = [drawing for _table, drawing, _note in shown if drawing is not None]
    return render(
        "forwarding.html",
        version=__version__,
        figures=table_of("This simulation", ["figure", "value"], figures.items()),
        spread=[table_of(panel.title, panel.columns, panel.rows) for panel in spread],
        panels=shown,
        of_a_log=of_a_log,
        claims=claims,
        command=command,
        scripts=scripts(drawings),
    )
