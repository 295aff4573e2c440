"""A release as one self-contained HTML page: what is in it, what it cost, what it promises.

Shows released data only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from crowdlog.number_format import number, rounded_up
from crowdlog.pages.bar_chart import BarChart, bar_chart
from crowdlog.pages.render import render
from crowdlog.pages.table import Cell, PageTable
from crowdlog.release.meaning import meaning_for_one_person

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.release.label import Label

SHOWN = 25  # rows of a chart

NAMES = {
    "pairs": "reformulations (what was asked next)",
    "word_pairs": "pairs of words",
    "query_sites": "sites clicked for a query",
    "word_sites": "sites clicked for a word",
}
# The title of each table's chart.
TITLES = {
    "queries": "What the crowd searched for",
    "words": "Words it searched with",
    "word_pairs": "Words one after the other",
    "sites": "Sites it went to",
    "clicks": "What it clicked",
    "query_sites": "Sites it chose for a query",
    "word_sites": "Sites it chose for a word",
    "pairs": "What it searched next",
    "sessions": "What it searched in one session",
}


def release_page(
    label: Label, tables: Mapping[str, pa.Table], *, story: Sequence[tuple[str, str]] = ()
) -> str:
    """The page. `story` adds cards (number, meaning), for example what a demo hid."""
    noise = label.promise.error_bars
    charts = [
        _chart(name, table, noise.get(name))
        for name, table in tables.items()
        if table.num_rows and "count" in table.column_names
    ]
    return render(
        "release.html",
        label=label,
        version=label.software,
        cards=[*_cards(label), *story],
        meaning=meaning_for_one_person(label.promise.guarantee),
        charts=charts,
        steps=_steps(label),
    )


def _cards(label: Label) -> list[tuple[str, str]]:
    cards = [(number(rows), f"{NAMES.get(name, name)} published") for name, rows in label.tables.items()]
    guarantee = label.promise.guarantee
    if guarantee.protects:
        cards.append(
            (
                f"ε = {rounded_up(guarantee.epsilon)}",
                f"privacy loss of one person, δ = {rounded_up(guarantee.delta)}",
            )
        )
    return cards


def _steps(label: Label) -> PageTable:
    """Each step with its cost; where nothing is promised that ε measures, zeros would read as perfect."""
    if not label.promise.guarantee.protects:
        done = [[Cell(step.name), Cell(step.what)] for step in label.promise.steps]
        return PageTable("Steps", ("step", "what is done"), done)
    rows = [
        [
            Cell(step.name),
            Cell(step.what),
            Cell(rounded_up(step.epsilon), numeric=True),
            Cell(rounded_up(step.delta), numeric=True),
        ]
        for step in label.promise.steps
    ]
    return PageTable("Steps", ("step", "what is done", "ε", "δ"), rows)


def _chart(name: str, table: pa.Table, noise: float | None) -> BarChart:
    """The largest counts; the columns before the count say of what."""
    top = table.slice(0, SHOWN).to_pydict()
    keys = table.column_names[: table.column_names.index("count")]
    texts = [" → ".join(map(_text, row)) for row in zip(*(top[column] for column in keys), strict=True)]
    heading = " → ".join(key.replace("_", " ") for key in keys)
    intervals = list(zip(top["low"], top["high"], strict=True)) if "low" in top else None
    return bar_chart(
        TITLES.get(name, name),
        heading,
        texts,
        top["count"],
        of=table.num_rows,
        noise=noise,
        intervals=intervals,
    )


def _text(key: str | list[str]) -> str:
    """A key as it is read: a query, or the queries of a session one after the other."""
    return key if isinstance(key, str) else " → ".join(key)
