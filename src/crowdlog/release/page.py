"""A release as one self-contained HTML page: what is in it, what it cost, what it promises.

Shows released data only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.number_format import number, rounded_up
from crowdlog.pages.bar_chart import BarChart, bar_chart
from crowdlog.pages.render import render
from crowdlog.pages.table import Cell, PageTable
from crowdlog.release.explain import cost_told
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
    "triples": "searches in a row of three",
    "visits": "pages reached from a query",
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
    "triples": "What it searched one after the other",
    "visits": "Where its searches led",
    "sessions": "What it searched in one session",
    "lengths": "How many words it searched with",
    "hours": "When it searched",
    "activity": "How much a person searched",
    "shares": "Which part of the searches is released",
    "repeats": "How often released queries are repeated",
    "topics": "What it was about",
    "topic_hours": "What it was about, by hour",
}


def release_page(
    label: Label,
    tables: Mapping[str, pa.Table],
    *,
    story: Sequence[tuple[str, str]] = (),
    title: str | None = None,
    logo: str | None = None,
) -> str:
    """The page. `story` adds cards (number, meaning), for example what a demo hid; `logo` is a `picture`."""
    uncounted = _uncounted(label)
    return render(
        "release.html",
        label=label,
        title=title or label.description,
        logo=logo,
        version=label.software,
        cards=[*_cards(label), *story],
        meaning=meaning_for_one_person(label.promise.guarantee),
        charts=charts_of(label, tables),
        names=[_names(name, tables[name]) for name in tables if name in uncounted],
        steps=_steps(label),
    )


def _uncounted(label: Label) -> set[str]:
    """Tables of names alone: their counts mean nothing."""
    return {plan.name for plan in label.plans if plan.names_only}


def _fixed(label: Label) -> set[str]:
    """Tables with a row for each public value: how many rows they have says nothing, and in some of them a
    person counts by parts.
    """
    return {plan.name for plan in label.plans if isinstance(plan.artifact, Breakdown)}


def charts_of(label: Label, tables: Mapping[str, pa.Table]) -> list[BarChart]:
    """The largest counts of each table, with error bars."""
    noise = label.promise.error_bars
    uncounted, fixed = _uncounted(label), _fixed(label)
    return [
        _chart(name, table, noise.get(name), people=label.promise.counts == "users" and name not in fixed)
        for name, table in tables.items()
        if table.num_rows and "count" in table.column_names and name not in uncounted
    ]


def rows_told(label: Label) -> list[tuple[str, str]]:
    """How many rows each table has, and of what; not of tables that have a row for each public value."""
    fixed = _fixed(label)
    return [(number(rows), NAMES.get(name, name)) for name, rows in label.tables.items() if name not in fixed]


def _cards(label: Label) -> list[tuple[str, str]]:
    cards = [(rows, f"{what} published") for rows, what in rows_told(label)]
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
            Cell(cost_told(step.epsilon), numeric=True),
            Cell(cost_told(step.delta), numeric=True),
        ]
        for step in label.promise.steps
    ]
    return PageTable("Steps", ("step", "what is done", "ε", "δ"), rows)


def _chart(name: str, table: pa.Table, noise: float | None, *, people: bool) -> BarChart:
    """The largest counts; the columns before the count say of what. A table that is shown as a whole stays in
    its own order, such as that of hours.
    """
    order = np.argsort(-table["count"].to_numpy(), kind="stable") if table.num_rows > SHOWN else slice(None)
    top = table.take(np.arange(table.num_rows)[order][:SHOWN]).to_pydict()
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
        counted="people" if people else "count",
    )


def _names(name: str, table: pa.Table) -> PageTable:
    """The first names of a table without counts, by the alphabet."""
    keys = table.column_names[: table.column_names.index("count")]
    columns = [table[key].slice(0, SHOWN).to_pylist() for key in keys]
    rows = [[Cell(_text(text)) for text in row] for row in zip(*columns, strict=True)]
    caption = f"{TITLES.get(name, name)}: the first {len(rows)} of {number(table.num_rows)}, without counts"
    return PageTable(caption, [key.replace("_", " ") for key in keys], rows)


def _text(key: str | list[str]) -> str:
    """A key as it is read: a query, or the queries of a session one after the other."""
    return key if isinstance(key, str) else " → ".join(key)
