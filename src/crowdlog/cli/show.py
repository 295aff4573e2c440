"""crowdlog show: the figures of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crowdlog.cli.engine import engine_option
from crowdlog.cli.output import show_json

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.log.summary import Spread, Summary


def _spread(spread: Spread) -> str:
    return (
        f"mean {spread.mean:,.2f}, quartiles {spread.lower_quartile:,.0f} · {spread.median:,.0f} · "
        f"{spread.upper_quartile:,.0f}"
    )


def _lines(figures: Summary) -> list[tuple[str, str]]:
    words = " · ".join(f"{words}: {count:,}" for words, count in figures.words_per_distinct_query.items())
    return [
        ("rows", f"{figures.rows:,}"),
        ("users", f"{figures.users:,}"),
        ("days", f"{figures.days:,.1f}"),
        ("query impressions", f"{figures.impressions:,} ({figures.clicked_share:.1%} with a click)"),
        ("clicks", f"{figures.clicks:,}"),
        (
            "distinct queries",
            f"{figures.distinct_queries:,} ({figures.distinct_query_share:.1%} of impressions)",
        ),
        ("… asked by one user alone", f"{figures.single_user_query_share:.1%}"),
        ("… by number of words", words),
        ("distinct urls", f"{figures.distinct_urls:,} ({figures.distinct_url_share:.1%} of clicks)"),
        ("queries per user", _spread(figures.queries_per_user)),
        ("sessions per user (26 min)", _spread(figures.sessions_per_user)),
        ("scrubbed rows left out", f"{figures.scrubbed:,}"),
        (
            "rejected rows",
            ", ".join(f"{reason}: {count:,}" for reason, count in figures.rejected.items()) or "0",
        ),
    ]


@click.command("show")
@click.argument("store")
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def command(store: str, engine: OpenEngine | None, as_json: bool) -> None:
    """Show the figures of a store: rows, users, days, distributions, shares; never a query.

    They are exact counts of private data: for the owner's eyes, not for publication. The ledger notes that
    the log was looked at.

    \b
    Example: crowdlog show STORE
    """
    from crowdlog.log.store import LogStore
    from crowdlog.log.summary import summarise
    from crowdlog.release.publish import note_look

    log = LogStore.open(store)
    note_look(log, "show")
    if engine is None:
        figures = summarise(log)
    else:
        with engine(log) as opened:
            figures = opened.summary()
    if as_json:
        show_json(figures.as_dict())
        return
    for name, value in _lines(figures):
        click.echo(f"{name:<28}{value}")
