"""The report: one HTML file with everything inside, which needs no network; all results beside it as JSON and
Parquet.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from crowdlog import __version__
from crowdlog.comparison import charts, maps
from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.style import MORE_STYLE
from crowdlog.comparison.summary_table import summary_table
from crowdlog.comparison.tables import attack_table, promises, utility_table
from crowdlog.errors import InputError
from crowdlog.files.whole import new_file, write_whole
from crowdlog.release.page import STYLE

FOR_THE_OWNER = (
    "For the owner of the log only. This report shows private facts about the log: exact numbers of what was kept and lost, how well attacks work. "
    "Choosing a mechanism by it is a look at the data that no promise covers. Do not publish it."
)
BY_CONSTRUCTION = (
    "A table of counts is one record that stands for everybody, so <i>linkage</i> and <i>exposure</i> are at the level of a guess by construction "
    "for every release of counts, whatever its ε; <i>membership</i> and <i>singles</i> can tell such releases apart. A promise of ε does not promise "
    "a guess: it admits e<sup>ε</sup>/(1 + e<sup>ε</sup>) right answers to the question whether somebody is in the log."
)
CHARTS: tuple[tuple[str, str, str, Any], ...] = (
    (
        "frontier",
        "What it is good for, and what it promises",
        "Click a name to see it alone.",
        charts.frontier,
    ),
    (
        "attacks",
        "What it is good for, and what an attacker gets",
        BY_CONSTRUCTION + " The grey tick is a guess.",
        charts.against_attacks,
    ),
    (
        "frequency",
        "What was kept, by frequency",
        "Percent of the different texts; a dot is none.",
        lambda c: maps.kept(c, "frequency"),
    ),
    (
        "words",
        "What was kept, by number of words",
        "Percent of the different texts.",
        lambda c: maps.kept(c, "number of words"),
    ),
    (
        "topics",
        "What was kept, by topic",
        "Percent of the different queries.",
        lambda c: maps.kept(c, "topic"),
    ),
    (
        "exposure",
        "How much of a person's profile is exposed",
        "Each mechanism at its largest ε.",
        maps.exposure_histograms,
    ),
)


def write_report(comparison: Comparison, path: Path) -> Path:
    """Write the page and its data, each whole or not at all."""
    import pyarrow.parquet as pq

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(
            path.with_suffix(".json"), json.dumps(comparison.as_dict(), indent=1, ensure_ascii=False) + "\n"
        )
        with new_file(path.with_suffix(".parquet")) as file:
            pq.write_table(comparison.table(), file)
        write_whole(path, report_page(comparison))
    except OSError as error:
        raise InputError(
            f"The report {path} cannot be written: {error.strerror or 'is the disk full?'}. Choose another place."
        ) from None
    return path


def report_page(comparison: Comparison) -> str:
    """The page as text."""
    import vl_convert

    grid = comparison.grid
    drawn = [
        (name, title, note, chart)
        for name, title, note, draw in CHARTS
        if (chart := draw(comparison)) is not None
    ]
    body = [
        "<h1>Mechanisms compared</h1>",
        f'<p class="warn">{FOR_THE_OWNER}</p>',
        f"<p>{len(grid.mechanisms)} mechanisms, each tried with {grid.seeds} seeds of noise on the log <code>{html.escape(grid.store)}</code>. "
        f"A point is the mean of its trials; the line through it runs from the lowest to the highest end of their 95&nbsp;% intervals. "
        f"Trials are not charged to the ledger and were destroyed. Made with crowdlog {__version__}.</p>",
        _failures(comparison),
        summary_table(comparison),
        *(_figure(name, title, note) for name, title, note, _chart in drawn),
        promises(comparison),
        attack_table(comparison),
        utility_table(comparison),
    ]
    bundle = closed(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    script = "".join(
        f"vegaEmbed('#{name}',{_inline(chart.to_dict())},{EMBED});" for name, _title, _note, chart in drawn
    )
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


def _failures(comparison: Comparison) -> str:
    lines = "".join(f"<li>{html.escape(str(why))}</li>" for why in comparison.failures.values())
    return (
        f'<div class="warn">Some trials failed and are missing below:<ul>{lines}</ul></div>' if lines else ""
    )


def _figure(name: str, title: str, note: str) -> str:
    caption = f'<p class="soft">{note}</p>' if note else ""
    return f'<h2>{html.escape(title)}</h2>{caption}<div class="chart" id="{name}"></div>'
