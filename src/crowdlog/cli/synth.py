"""crowdlog synth: write a synthetic search log."""

from __future__ import annotations

from dataclasses import asdict

import click

from crowdlog.cli.options import shown_option
from crowdlog.cli.output import show_json
from crowdlog.log.synth import POPULATIONS, ROWS_PER_USER, synthesize
from crowdlog.progress import progress_bar


@click.command("synth")
@click.argument("log", type=click.Path(dir_okay=False))
@click.option("--users", type=int, help="How many users (10,000 unless --rows is given).")
@click.option("--rows", type=int, help="How many rows instead; the last user is cut short.")
@shown_option("--seed", 7, int, "The same seed gives the same bytes.")
@click.option(
    "--secrets", type=click.Path(dir_okay=False), help="Write the planted secrets here: user, kind, query."
)
@click.option(
    "--labels",
    type=click.Path(dir_okay=False),
    help="Write every distinct query here with its topic and whether it is sensitive.",
)
@click.option(
    "--tasks",
    type=click.Path(dir_okay=False),
    help="Write the true task of every search here: AnonID, QueryTime, Query, Task.",
)
@shown_option(
    "--population",
    "aol",
    click.Choice(POPULATIONS),
    "Who searches: learn on one population, try on the other.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def command(
    log: str,
    users: int | None,
    rows: int | None,
    seed: int,
    population: str,
    as_json: bool,
    **files: str | None,
) -> None:
    """Write a synthetic search log in AOL's layout to LOG (.gz and .zst are compressed).

    \b
    Example: crowdlog synth LOG2.tsv --users 100 --seed 7 --secrets SECRETS.tsv
    """
    if users is None and rows is None:
        users = 10_000
    expected = rows if rows is not None else int((users or 0) * ROWS_PER_USER)
    with progress_bar("Writing", expected) as advance:
        report = synthesize(
            log,
            users=users,
            rows=rows,
            seed=seed,
            population=population,
            progress=advance,
            **files,
        )
    if as_json:
        show_json(asdict(report) | {"path": str(report.path)})
        return
    click.echo(
        f"{report.path}: {report.rows:,} rows, {report.users:,} users, {report.queries:,} new queries, "
        f"{report.clicks:,} clicks"
    )
    click.echo(f"planted secrets: {report.secrets:,}")
