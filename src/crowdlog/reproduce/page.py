"""All studies on one page that needs no network: tables and plots with the printed values beside ours, and
what of the paper holds.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from crowdlog import __version__
from crowdlog.comparison.page import EMBED, closed
from crowdlog.comparison.style import MORE_STYLE
from crowdlog.release.page import STYLE
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study

OWN_STYLE = """
.claims{list-style:none;padding:0}.claims li{border-left:.3rem solid var(--line);padding:.2rem .8rem;margin:.35rem 0}
.claims li.holds{border-color:#009e73}.claims li.differs{border-color:#d55e00}.claims b{white-space:nowrap}.claims .soft{color:var(--soft)}
th.n{text-align:right}h3{font-size:1rem;margin:1.4rem 0 .3rem}section{border-top:2px solid var(--line);margin-top:2.5rem}
.wide table{width:auto;min-width:24rem}.wide td,.wide th{padding-right:1.2rem}
"""


@dataclass(frozen=True)
class FinishedStudy:
    """A study and what it found."""

    study: Study
    result: Result

    @property
    def held(self) -> int:
        return sum(claim.holds for claim in self.result.claims)

    def as_dict(self) -> dict[str, Any]:
        study = self.study
        return {"name": study.name, "source": study.source, "title": study.title, **self.result.as_dict()}


def page(studies: Sequence[FinishedStudy], users: int) -> str:
    """The page as text."""
    charts = {
        f"{done.study.name}-{i}".replace(".", "-"): panel.chart
        for done in studies
        for i, panel in enumerate(done.result.panels)
        if panel.chart is not None
    }
    script = "".join(
        f"vegaEmbed('#{name}',{closed(json.dumps(chart, ensure_ascii=False))},{EMBED});"
        for name, chart in charts.items()
    )
    body = [_head(studies, users), *(_section(done, users) for done in studies)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>Published figures, redone</title><link rel="icon" href="data:,"><style>{STYLE}{MORE_STYLE}{OWN_STYLE}</style></head>'
        f'<body>{"".join(body)}<script type="module">{_bundle()}</script><script type="module">{script}</script></body></html>\n'
    )


@cache
def _bundle() -> str:
    """The drawing library itself."""
    import vl_convert

    return closed(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def _head(studies: Sequence[FinishedStudy], users: int) -> str:
    rows = "".join(
        f'<tr><td><a href="#{done.study.name}">{html.escape(done.study.source)}</a></td><td>{html.escape(done.study.title)}</td>'
        f'<td class="n">{done.held} of {len(done.result.claims)}</td></tr>'
        for done in studies
    )
    return (
        "<h1>Published figures, redone on a synthetic log</h1>"
        f"<p>Each section redoes one figure or table of a paper on a made-up, AOL-like log of {users:,} people. "
        "The papers' logs are larger and cannot be had, so the values differ; what can be compared is the shape. "
        "Each study lists what the paper says about its shape and whether our numbers agree, then our values beside those that the paper prints. "
        "Log and noise come from a fixed seed: the same command gives the same page, and nothing here is a private release. "
        f"Made with crowdlog {__version__}.</p>"
        f'<table><tr><th>source</th><th>what it shows</th><th class="n">statements that hold</th></tr>{rows}</table>'
    )


def _section(done: FinishedStudy, users: int) -> str:
    command = f"crowdlog reproduce --figures {done.study.name} --users {users}"
    panels = "".join(
        _panel(panel, f"{done.study.name}-{i}".replace(".", "-"))
        for i, panel in enumerate(done.result.panels)
    )
    setup = f"<p>{html.escape(done.result.setup)}</p>" if done.result.setup else ""
    return (
        f'<section id="{done.study.name}"><h2>{html.escape(done.study.title)}</h2><p class="soft">{html.escape(done.study.source)}</p>{setup}'
        f'<ul class="claims">{"".join(_claim(claim) for claim in done.result.claims)}</ul>{panels}<pre>{html.escape(command)}</pre></section>'
    )


def _claim(claim: Claim) -> str:
    """The verdict first, so that a list of them is read at a glance."""
    if claim.holds:
        return f'<li class="holds"><b>As in the paper:</b> {html.escape(claim.text)}</li>'
    return f'<li class="differs"><b>Differs:</b> {html.escape(claim.text)} <span class="soft">Ours: {html.escape(claim.why)}.</span></li>'


def _panel(panel: Panel, name: str) -> str:
    numeric = [all(not isinstance(row[i], str) for row in panel.rows) for i in range(len(panel.columns))]
    kind = ['class="n"' if n else "" for n in numeric]
    head = "".join(f"<th {k}>{html.escape(title)}</th>" for k, title in zip(kind, panel.columns, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td {k}>{html.escape(text(cell))}</td>' for k, cell in zip(kind, row, strict=True))}</tr>"
        for row in panel.rows
    )
    chart = f'<div class="chart" id="{name}"></div>' if panel.chart is not None else ""
    note = f'<p class="soft">{html.escape(panel.note)}</p>' if panel.note else ""
    return f'<h3>{html.escape(panel.title)}</h3>{note}{chart}<div class="wide"><table><tr>{head}</tr>{rows}</table></div>'


def text(cell: Cell) -> str:
    """A cell as it is read: thousands grouped, four digits that count, – for nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) >= 1000 else f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) else cell
