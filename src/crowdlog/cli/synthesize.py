"""crowdlog synthesize: a synthetic search log sampled from a release."""

from __future__ import annotations

from dataclasses import asdict

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.progress import progress_bar


@click.command("synthesize")
@click.argument("release")
@click.option("-o", "--out", required=True, type=click.Path(dir_okay=False), help="The log to write (TSV).")
@click.option("--users", type=int, help="How many users (1,000 unless --sessions is given).")
@click.option("--sessions", type=int, help="How many sessions instead.")
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same bytes.")
@json_option
def command(
    release: str, out: str, users: int | None, sessions: int | None, seed: int, as_json: bool
) -> None:
    """Sample a search log from the published tables of RELEASE: post-processing, which costs no privacy.

    OUT.invented lists the texts that no table holds, OUT.README.md names the release and its guarantee.

    \b
    Example: crowdlog synthesize OUT -o SAMPLE.tsv --users 1000
    """
    from crowdlog.release.folder import Release
    from crowdlog.release.synthesize import synthesize_from

    if users is None and sessions is None:
        users = 1_000
    with progress_bar("Sampling", sessions, unit="sessions") as advance:
        made = synthesize_from(
            Release.open(release), out, users=users, sessions=sessions, seed=seed, progress=advance
        )
    if as_json:
        show_json(asdict(made) | {"path": str(made.path)})
        return
    click.echo(
        f"{made.path}: {made.users:,} users, {made.sessions:,} sessions, {made.searches:,} searches, "
        f"{made.clicks:,} clicks; {made.invented:,} searches with an invented text"
    )
