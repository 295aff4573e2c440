"""`crowdlog split`: a part to release and a part to test on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crowdlog.cli.output import show_json


@click.command("split")
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="A new folder; the stores OUT/rest and OUT/test are made in it.",
)
@click.option("--folds", default=5, help="One part of so many becomes the test.")
@click.option("--fold", default=0, help="Which one, from 0.")
@click.option(
    "--by",
    type=click.Choice(["user", "row"]),
    default="user",
    help="By user nobody is on both sides; by row, as some studies did, most people are.",
)
@click.option("--seed", default=0, help="Fixes the folds.")
@click.option(
    "--share-ledger", is_flag=True, help="Releases of the parts are charged to the budget of STORE."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def command(store: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Split a log store, to measure releases on people they were not made from.

    The parts have ledgers of their own, so what is released from them is for measuring, not for publishing,
    and needs --i-know. With --share-ledger it is charged to the budget of STORE.

    \b
    Example: crowdlog split STORE -o PARTS
    """
    from crowdlog.log.store import LogStore
    from crowdlog.utility.splits import split_store

    parts = split_store(LogStore.open(store), out, **options)
    if as_json:
        figures = [
            {
                "path": str(part.path),
                "rows": part.info.rows,
                "users": part.info.users,
                "queries": part.info.queries,
            }
            for part in parts
        ]
        show_json(figures)
        return
    for part in parts:
        click.echo(f"{part.path}: {part.info.rows:,} rows of {part.info.users:,} users")
    if options["share_ledger"]:
        click.echo(f"Releases of these parts are charged to the ledger of {store}.")
        return
    click.echo(
        "These parts are for measuring. Releases to be published are made from the whole store, whose ledger "
        "counts them; --share-ledger charges releases of the parts to it."
    )
