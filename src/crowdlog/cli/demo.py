"""crowdlog demo: the whole way through on a synthetic log."""

from __future__ import annotations

import click


@click.command("demo")
@click.option("-o", "--out", default="demo", show_default=True, help="The folder to make.")
@click.option(
    "--users",
    default=20_000,
    show_default=True,
    type=click.IntRange(min=100),
    help="How many synthetic people.",
)
@click.option("--mechanism", default=None, help="Another mechanism than the default.")
def command(out: str, users: int, mechanism: str | None) -> None:
    """Make a synthetic log, release it privately, and write a page that shows what was kept and what was
    hidden.

    \b
    Example: crowdlog demo -o DEMO --users 2000
    """
    from crowdlog.cli.demo_run import run_demo

    run_demo(out, users, mechanism)
