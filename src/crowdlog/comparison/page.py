"""The report: one HTML file with everything inside, which needs no network; all results beside it as JSON and
Parquet.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crowdlog import __version__
from crowdlog.comparison import against_k, charts, maps
from crowdlog.comparison.comparison import Comparison
from crowdlog.comparison.summary_table import answers, opening
from crowdlog.comparison.tables import attack_table, exposure_table, kept_table, promises, utility_table
from crowdlog.errors import InputError
from crowdlog.files.private import owners_file, write_for_owner
from crowdlog.pages.picture import picture
from crowdlog.pages.render import render
from crowdlog.pages.table import PageTable
from crowdlog.pages.vega import PageChart, scripts

TITLE = "Mechanisms compared"
# What is drawn: its place in the page, its title, the chart, and its numbers as a table.
CHARTS: tuple[tuple[str, str, Callable[[Comparison], Any], Callable[[Comparison], PageTable]], ...] = (
    ("frontier", "What it is good for, and what it promises", charts.frontier, utility_table),
    ("attacks", "What it is good for, and what an attacker gets", charts.against_attacks, attack_table),
    ("against-k", "Risk and utility against k", against_k.against_k, against_k.numbers),
    (
        "frequency",
        "What was kept, by frequency",
        lambda c: maps.kept(c, "frequency"),
        lambda c: kept_table(c, "frequency"),
    ),
    (
        "words",
        "What was kept, by number of words",
        lambda c: maps.kept(c, "number of words"),
        lambda c: kept_table(c, "number of words"),
    ),
    (
        "topics",
        "What was kept, by topic",
        lambda c: maps.kept(c, "topic"),
        lambda c: kept_table(c, "topic"),
    ),
    (
        "exposure",
        "How much of a person's profile is exposed",
        maps.exposure_histograms,
        exposure_table,
    ),
)
# Their numbers have a section of their own at the end of the page.
IN_FULL = ("frontier", "attacks")


def write_report(comparison: Comparison, path: Path, title: str = TITLE, logo: Path | None = None) -> Path:
    """Write the page and its data, each whole or not at all, for the owner alone. `logo`: a picture above
    the title.
    """
    import pyarrow.parquet as pq

    page = report_page(comparison, title, None if logo is None else picture(logo))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_for_owner(
            path.with_suffix(".json"), json.dumps(comparison.as_dict(), indent=1, ensure_ascii=False) + "\n"
        )
        with owners_file(path.with_suffix(".parquet")) as file:
            pq.write_table(comparison.table(), file)
        write_for_owner(path, page)
    except OSError as error:
        raise InputError(
            f"The report {path} cannot be written: {error.strerror or 'is the disk full?'}. "
            "Choose another place."
        ) from None
    return path


def report_page(comparison: Comparison, title: str = TITLE, logo: str | None = None) -> str:
    """The page as text. `logo`: as `picture` makes it."""
    drawn = drawings(comparison)
    return render(
        "comparison.html",
        title=title,
        logo=logo,
        version=__version__,
        mechanisms=len(comparison.grid.mechanisms),
        seeds=comparison.grid.seeds,
        store=comparison.grid.store,
        failures=[str(why) for why in comparison.failures.values()],
        people=comparison.people,
        opening=opening(comparison),
        answers=answers(comparison),
        drawings=drawn,
        suggestions=against_k.suggestions(comparison),
        promises=promises(comparison),
        tables=[table for table in (attack_table(comparison), utility_table(comparison)) if table.rows],
        scripts=scripts(drawn),
    )


def drawings(comparison: Comparison) -> list[PageChart]:
    """The charts that have something to show."""
    found = []
    for name, title, draw, table in CHARTS:
        chart = draw(comparison)
        if chart is not None:
            numbers = None if name in IN_FULL else table(comparison)
            found.append(PageChart(name, title, chart.to_dict(), numbers))
    return found
