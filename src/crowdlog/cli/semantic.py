"""crowdlog semantic: what semantic k-anonymity would release of a log, as figures."""

from __future__ import annotations

from pathlib import Path

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.cli.texts import PATH, one_text


@click.command("semantic")
@click.argument("store")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for the figures; made if it is not there.",
)
@click.option(
    "--theta",
    "thetas",
    multiple=True,
    type=float,
    default=(1.0, 0.9, 0.8),
    show_default=True,
    help="Affinity threshold; may be repeated.",
)
@click.option(
    "--min-users",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Users a word or phrase needs to be a concept.",
)
@click.option("--user", help="Also the share released of this user, as the log names her.")
@click.option("--user-file", type=PATH, help="The same, named in this file: a command line can be seen.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    help="Sensitivity of queries (query, topic, sensitive 0 or 1), as 'crowdlog synth --labels' writes them.",
)
@click.option("--around", help="Also a picture of this query's neighbourhood at the lowest Θ below 1.")
@click.option("--around-file", type=PATH, help="The same, of the query in this file.")
@click.option(
    "--memory",
    default="6GB",
    show_default=True,
    help="What a graph may take before it moves to temporary files.",
)
@json_option
def command(
    store: str,
    out: Path,
    thetas: tuple[float, ...],
    min_users: int,
    user: str | None,
    user_file: Path | None,
    labels: Path | None,
    around: str | None,
    around_file: Path | None,
    memory: str,
    as_json: bool,
) -> None:
    """Draw the share of queries that k-anonymity releases against k and Θ. The figures are exact facts about
    the log: for the owner's eyes.

    \b
    Example: crowdlog semantic STORE -o figures --theta 1 --theta 0.9
    """
    from crowdlog.files.private import private_files, write_for_owner
    from crowdlog.log.store import LogStore
    from crowdlog.planning.semantic_figures import semantic_figures
    from crowdlog.planning.semantic_page import semantic_page
    from crowdlog.release.publish import note_look

    log = LogStore.open(store)
    note_look(log, "semantic")
    figures = semantic_figures(
        log,
        thetas=thetas,
        min_users=min_users,
        memory=memory,
        user=one_text(user, user_file, "--user"),
        labels=labels,
        around=one_text(around, around_file, "--around"),
    )
    with private_files():
        out.mkdir(parents=True, exist_ok=True)
        for name, picture in figures.pictures.items():
            write_for_owner(out / name, picture)
        write_for_owner(out / "index.html", semantic_page(figures))
    shares = figures.shares
    if as_json:
        show_json(shares)
        return
    for theta, row in shares.released.items():
        by_k = ", ".join(f"k = {k}: {share:.1%}" for k, share in zip(shares.k, row, strict=True))
        click.echo(f"Θ = {theta}: {by_k}")
    click.echo(
        f"Shares are of the {shares.queries:,} queries that can be compared. Figures are in {out}; "
        f"{out / 'index.html'} shows them all."
    )
