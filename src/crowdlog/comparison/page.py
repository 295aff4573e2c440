"""The report: one HTML file with everything inside, which needs no network; all results beside it as JSON and Parquet."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdlog import __version__
from crowdlog.comparison import charts
from crowdlog.errors import InputError
from crowdlog.release.page import STYLE

if TYPE_CHECKING:
    from crowdlog.comparison.comparison import Comparison

FOR_THE_OWNER = (
    "For the owner of the log only. This report shows private facts about the log: exact numbers of what was kept and lost, how well attacks work. "
    "Choosing a mechanism by it is a look at the data that no promise covers. Do not publish it."
)
MORE_STYLE = """
.chart{background:#fff;color:#000;padding:.6rem;border:1px solid var(--line);border-radius:.5rem;overflow-x:auto;break-inside:avoid}
.chart .vega-bindings{font:14px system-ui,sans-serif;padding:.4rem 0}td.n.bad{color:var(--warn);font-weight:600}.wide{overflow-x:auto}
details{margin:.4rem 0}summary{cursor:pointer}pre{white-space:pre-wrap;background:var(--card);padding:.5rem .8rem;border-radius:.4rem}
body{max-width:68rem}@media print{.vega-bindings select{border:0;appearance:none}.vega-embed summary{display:none}details{break-inside:avoid}}
"""
CHARTS: tuple[tuple[str, str, str, Any], ...] = (
    ("frontier", "What it is good for, and what it promises", "", charts.frontier),
    ("attacks", "What it is good for, and what an attacker gets", "The grey tick is what a guess would reach.", charts.against_attacks),
    ("frequency", "What was kept, by frequency", "", lambda c: charts.kept(c, "frequency")),
    ("words", "What was kept, by number of words", "", lambda c: charts.kept(c, "number of words")),
    ("topics", "What was kept, by topic", "", lambda c: charts.kept(c, "topic")),
    ("exposure", "How much of a person's profile is exposed", "", charts.exposure),
)


def write_report(comparison: Comparison, path: Path) -> Path:
    """Write the page and its data, each whole or not at all."""
    import pyarrow.parquet as pq

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path.with_suffix(".json"), json.dumps(comparison.as_dict(), indent=1, ensure_ascii=False) + "\n")
        partial = path.with_suffix(f".parquet.{os.getpid()}.partial")
        pq.write_table(comparison.table(), partial)
        partial.replace(path.with_suffix(".parquet"))
        _write(path, report_page(comparison))
    except OSError as error:
        raise InputError(f"The report {path} cannot be written: {error.strerror}. Choose another place.") from None
    return path


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def report_page(comparison: Comparison) -> str:
    """The page as text."""
    import vl_convert

    grid = comparison.grid
    drawn = [(name, title, note, chart) for name, title, note, draw in CHARTS if (chart := draw(comparison)) is not None]
    body = [
        "<h1>Mechanisms compared</h1>",
        f'<p class="warn">{FOR_THE_OWNER}</p>',
        f"<p>{len(grid.mechanisms)} mechanisms, each tried with {grid.seeds} seeds of noise on the log <code>{html.escape(grid.store)}</code>. "
        f"A point is the mean of its trials; the line through it runs from the lowest to the highest end of their 95&nbsp;% intervals. "
        f"Trials are not charged to the ledger and were destroyed. Made with crowdlog {__version__}.</p>",
        *(_figure(name, title, note) for name, title, note, _chart in drawn),
        _attack_table(comparison),
        _utility_table(comparison),
        _labels(comparison),
    ]
    bundle = closed(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    script = "".join(f"vegaEmbed('#{name}',{_inline(chart.to_dict())},{EMBED});" for name, _title, _note, chart in drawn)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>Mechanisms compared</title><link rel="icon" href="data:,"><style>{STYLE}{MORE_STYLE}</style></head><body>{"".join(body)}'
        f'<script type="module">{bundle}</script><script type="module">{script}</script></body></html>\n'
    )


EMBED = '{renderer:"svg",actions:{export:true,source:false,compiled:false,editor:false}}'


def _inline(data: Any) -> str:
    return closed(json.dumps(data, ensure_ascii=False))


def closed(script: str) -> str:
    """Nothing inside a script may end it or begin a comment of the page."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def _figure(name: str, title: str, note: str) -> str:
    caption = f'<p class="soft">{note}</p>' if note else ""
    return f'<h2>{html.escape(title)}</h2>{caption}<div class="chart" id="{name}"></div>'


def _attack_table(comparison: Comparison) -> str:
    rows = []
    for point in (point for point in comparison.points if point["kind"] == "attack"):
        cells = f"<td><code>{html.escape(point['mechanism'])}</code></td><td>{html.escape(point['name'])}</td>"
        if point["value"] is None:
            rows.append(f'<tr>{cells}<td class="soft" colspan="4">{html.escape(point["note"])}</td></tr>')
            continue
        verdict = '<td class="n bad">better than a guess</td>' if point["broken"] else '<td class="n">no better than a guess</td>'
        interval = f"{point['low']:.2%} – {point['high']:.2%}"
        rows.append(
            f'<tr>{cells}<td class="n">{point["value"]:.2%}</td><td class="n">{interval}</td><td class="n">{point["chance"]:.2%}</td>{verdict}</tr>'
        )
    head = "<tr><th>mechanism</th><th>attack</th><th>success</th><th>interval</th><th>a guess</th><th></th></tr>"
    return f'<h2>Attacks</h2><div class="wide"><table>{head}{"".join(rows)}</table></div>' if rows else ""


def _utility_table(comparison: Comparison) -> str:
    rows = []
    for point in (point for point in comparison.points if point["kind"] == "utility"):
        cells = f"<td><code>{html.escape(point['mechanism'])}</code></td><td>{html.escape(point['name'])}</td>"
        if point["value"] is None:
            rows.append(f'<tr>{cells}<td class="soft" colspan="3">{html.escape(point["note"])}</td></tr>')
            continue
        evaluated = "–" if point["evaluated"] is None else f"{point['evaluated']:,}"
        interval = f"{point['low']:.4f} – {point['high']:.4f}"
        rows.append(f'<tr>{cells}<td class="n">{point["value"]:.4f}</td><td class="n">{interval}</td><td class="n">{evaluated}</td></tr>')
    head = "<tr><th>mechanism</th><th>measure</th><th>value</th><th>interval</th><th>evaluated on</th></tr>"
    if not rows:
        return ""
    return (
        f'<h2>Utility</h2><details><summary>All {len(rows)} numbers</summary><div class="wide"><table>{head}{"".join(rows)}</table></div></details>'
    )


def _labels(comparison: Comparison) -> str:
    """Of each mechanism: its promise, what that does not cover, and the commands that repeat and publish it."""
    parts = ["<h2>Promises and commands</h2>"]
    for mechanism, label in comparison.labels.items():
        loss, commands = label["privacy_loss"], comparison.commands(mechanism)
        parameters = loss["privacy_parameters"]
        short = f"ε = {parameters['epsilon']:.4g}, δ = {parameters['delta']:.2g}" if parameters else "no guarantee"
        uncovered = "".join(f"<li>{html.escape(line)}</li>" for line in label["dp_flavor"]["unprotected_quantities"])
        parts.append(
            f"<details open><summary><code>{html.escape(mechanism)}</code> · {short}</summary>"
            f"<p>{html.escape(label['description'])}. {html.escape(loss['privacy_parameters_description'])}</p>"
            + (f"<p>Not covered:</p><ul>{uncovered}</ul>" if uncovered else "")
            + f"<pre>{html.escape(commands['repeat'])}\n{html.escape(commands['publish'])}</pre></details>"
        )
    return "".join(parts)
