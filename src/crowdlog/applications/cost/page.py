"""One page: what privacy costs each application, how many people it needs, and the classes of artifacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import altair as alt

from crowdlog import __version__
from crowdlog.applications.cost.answer import ENOUGH, Cost, people_needed
from crowdlog.applications.cost.grid import WITHOUT_NOISE
from crowdlog.applications.cost.priced import APPLICATIONS
from crowdlog.applications.frame import Sheet
from crowdlog.applications.frustration.model import SHEET as FRUSTRATION
from crowdlog.applications.recommendation.merge import SHEET as RECOMMENDATION
from crowdlog.applications.tasks.personal import SHEET as TASKS
from crowdlog.pages.render import render
from crowdlog.pages.table import PageTable, table_of
from crowdlog.pages.vega import PageChart, colours, finished, scripts

SHEETS: dict[str, Sheet] = {"tasks": TASKS, "recommendation": RECOMMENDATION, "frustration": FRUSTRATION}
RAW = "not sanitised"


def cost_page(found: Sequence[Cost], command: str, failures: Sequence[str] = ()) -> str:
    """The page as text. `failures`: why trials are missing."""
    names = list(dict.fromkeys(one.application for one in found))
    sections = [_section(name, [one for one in found if one.application == name]) for name in names]
    charts = [section["chart"] for section in sections]
    return render(
        "applications.html",
        version=__version__,
        enough=ENOUGH,
        needed=_needed(found),
        taxonomy=taxonomy(found),
        sections=sections,
        command=command,
        failures=failures,
        scripts=scripts(charts),
    )


def spelled(mechanism: str) -> str:
    """As a reader types it; the domain's file is named by the command that writes it."""
    return mechanism.replace("{domain}", "DOMAIN") or RAW


def _needed(found: Sequence[Cost]) -> PageTable:
    rows = [
        [
            APPLICATIONS[row["application"]].title,
            spelled(row["mechanism"]),
            row["epsilon"] or "–",
            f"more than {row['tried']:,}" if row["people"] is None else f"{row['people']:,} or fewer",
            f"{100 * row['share']:.0f} %",
        ]
        for row in people_needed(found)
        if row["mechanism"] not in WITHOUT_NOISE
    ]
    columns = ["application", "mechanism", "ε", "people needed", "kept with most people"]
    return table_of("How many people do I need?", columns, rows)


def taxonomy(found: Sequence[Cost]) -> PageTable:
    """Applications and classes of artifacts, with the fewest people that any private mechanism was enough
    with: what an implementer looks up before she begins (Feild 2013, §9.2).
    """
    rows = []
    for name in dict.fromkeys(one.application for one in found):
        enough = [
            row["people"]
            for row in people_needed(found)
            if row["application"] == name and row["epsilon"] > 0 and row["people"] is not None
        ]
        most = max(one.people for one in found if one.application == name)
        priced = APPLICATIONS[name]
        least = f"{min(enough):,}" if enough else f"more than {most:,}"
        rows.append([priced.title, priced.artifacts, priced.of_a_person, least])
    columns = ["application", "artifacts", "of one person", "people, at best"]
    return table_of("Applications and classes of artifacts", columns, rows)


def _section(name: str, found: Sequence[Cost]) -> dict[str, Any]:
    priced = APPLICATIONS[name]
    rows = [
        [spelled(one.mechanism), one.epsilon or "–", one.people, one.score, f"{100 * one.share:.0f} %"]
        for one in found
    ]
    table = table_of(
        f"{priced.title}: {priced.measure}", ["mechanism", "ε", "people", "score", "share kept"], rows
    )
    chart = PageChart(f"cost-{name}", f"{priced.title}: {priced.measure}", _chart(found))
    sheet = table_of("The nine questions", ["question", "answer"], SHEETS[name].rows())
    return {"title": priced.title, "chart": chart, "table": table, "sheet": sheet}


def _chart(found: Sequence[Cost]) -> dict[str, Any]:
    values = [{**asdict(one), "series": spelled(one.mechanism)} for one in found]
    names = list(dict.fromkeys(value["series"] for value in values))
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("people:Q", title="people", scale=alt.Scale(type="log", nice=False, padding=12)),
        y=alt.Y("score:Q", title="score"),
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=names, range=colours(len(names))),
            legend=alt.Legend(title=None, labelLimit=420, orient="bottom", columns=1),
        ),
        tooltip=["series:N", "people:Q", alt.Tooltip("score:Q", format=".4~g")],
    )
    layers = alt.layer(base.mark_line(strokeWidth=1.5), base.mark_point(size=60, filled=True, opacity=1))
    spec: dict[str, Any] = finished(layers.properties(width=560, height=280)).to_dict()
    return spec
