"""All studies on one page that needs no network: tables and plots with the printed values beside ours, and
what of the paper holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdlog import __version__
from crowdlog.pages.render import render
from crowdlog.pages.table import PageTable, table_of
from crowdlog.pages.vega import PageChart, scripts
from crowdlog.reproduce.study import Claim, Panel, Result, Study, Verdict


@dataclass(frozen=True)
class FinishedStudy:
    """A study and what it found."""

    study: Study
    result: Result

    def verdicts(self) -> dict[Verdict, int]:
        """How many statements hold, differ and are undecided."""
        found = [claim.verdict for claim in self.result.claims]
        return {verdict: found.count(verdict) for verdict in ("holds", "differs", "undecided")}

    def as_dict(self) -> dict[str, Any]:
        study, result = self.study, self.result.as_dict()
        for claim, stored in zip(self.result.claims, result["claims"], strict=True):
            stored["verdict"] = claim.verdict
        return {"name": study.name, "source": study.source, "title": study.title, **result}


@dataclass(frozen=True)
class ShownPanel:
    """A panel as the page has it."""

    table: PageTable
    drawing: PageChart | None
    note: str


@dataclass(frozen=True)
class ShownStudy:
    """A study as the page has it."""

    name: str
    source: str
    title: str
    setup: str
    claims: Sequence[Claim]
    verdicts: Mapping[Verdict, int]
    panels: Sequence[ShownPanel]
    command: str


def page(studies: Sequence[FinishedStudy], users: int) -> str:
    """The page as text."""
    shown = [_shown(done, users) for done in studies]
    drawn = [panel.drawing for study in shown for panel in study.panels if panel.drawing is not None]
    return render(
        "reproduction.html", version=__version__, users=users, studies=shown, scripts=scripts(drawn)
    )


def _shown(done: FinishedStudy, users: int) -> ShownStudy:
    study, result = done.study, done.result
    return ShownStudy(
        study.name,
        study.source,
        study.title,
        result.setup,
        result.claims,
        done.verdicts(),
        [_panel(panel, f"{study.name}-{i}".replace(".", "-")) for i, panel in enumerate(result.panels)],
        f"crowdlog reproduce --figures {study.name} --users {users}",
    )


def _panel(panel: Panel, place: str) -> ShownPanel:
    """The table under a drawing has its numbers, so it is never folded away."""
    table = table_of(panel.title, panel.columns, panel.rows)
    drawing = None
    if panel.chart is not None:
        drawing = PageChart(place, panel.title, panel.chart, note=panel.note)
    return ShownPanel(table, drawing, panel.note)
